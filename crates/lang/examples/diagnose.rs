//! Prints what is wrong with each file.
fn main() {
    for path in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&path).unwrap();
        let model = trueline_lang::compile::Model::parse(text.clone());
        for d in model.diagnose() {
            let (line, col) = d.span.line_column(&text);
            println!(
                "{path}:{line}:{col} {} {} [{}] {:?}",
                d.code,
                d.message,
                d.span.text(&text).lines().next().unwrap_or(""),
                d.help
            );
        }
    }
}

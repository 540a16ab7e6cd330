//! Several searches for the same answer, side by side: as a table, and as a plot.

use serde::Serialize;
use trueline_base::words::number;

/// One search.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Searched {
    /// The engine, or what is reduced in addition to the row before.
    #[serde(rename = "search")]
    pub name: String,
    /// `holds`, `fails`, or what ended the search.
    pub verdict: String,
    /// States stored.
    pub states: u64,
    /// Transitions executed.
    pub transitions: u64,
    /// Wall-clock time.
    #[cfg_attr(feature = "schema", schemars(range(min = 0.0)))]
    pub seconds: f64,
    /// Bytes in use at the end.
    pub bytes: u64,
}

/// The searches for one property.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Comparison {
    /// The object and the property.
    pub title: String,
    /// The searches, in the order of the table.
    #[serde(rename = "searches")]
    pub rows: Vec<Searched>,
}

/// A table with a line per search.
pub fn render_comparison(comparison: &Comparison) -> String {
    let mut text = format!("{}\n\n", comparison.title);
    let header = ["search", "verdict", "states", "transitions", "time", "memory"].map(String::from);
    let line = |row: &Searched| {
        [
            row.name.clone(),
            row.verdict.clone(),
            number(row.states),
            number(row.transitions),
            format!("{:.3} s", row.seconds),
            format!("{} kB", number(row.bytes.div_ceil(1000))),
        ]
    };
    let lines: Vec<[String; 6]> = std::iter::once(header).chain(comparison.rows.iter().map(line)).collect();
    let width = |at: usize| lines.iter().map(|line| line[at].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..6).map(width).collect();
    for line in &lines {
        let mut shown = String::from(" ");
        for (at, cell) in line.iter().enumerate() {
            let pad = " ".repeat(widths[at] - cell.chars().count());
            // Words to the left, numbers to the right.
            shown += &if at < 2 { format!(" {cell}{pad} ") } else { format!(" {pad}{cell} ") };
        }
        text += shown.trim_end();
        text.push('\n');
    }
    text
}

/// A plot of the states per search, on a logarithmic scale, one group of bars per property.
pub fn plot_comparisons(comparisons: &[Comparison]) -> String {
    const BAR: f64 = 16.0;
    const WIDE: f64 = 420.0;
    const LEFT: f64 = 190.0;
    let most = comparisons.iter().flat_map(|c| &c.rows).map(|row| row.states).max().unwrap_or(1).max(10);
    let scale = WIDE / (most as f64).log10();
    let mut body = String::new();
    let mut y = 10.0;
    for comparison in comparisons {
        y += 18.0;
        body +=
            &format!("<text x=\"8\" y=\"{y}\" font-weight=\"bold\">{}</text>\n", escaped(&comparison.title));
        y += 8.0;
        for row in &comparison.rows {
            let long = (row.states.max(1) as f64).log10() * scale;
            let middle = y + BAR - 4.0;
            body += &format!("<text x=\"8\" y=\"{middle}\">{}</text>\n", escaped(&row.name));
            body += &format!(
                "<rect x=\"{LEFT}\" y=\"{y}\" width=\"{long:.1}\" height=\"{}\" fill=\"#4878a8\"/>\n",
                BAR - 3.0
            );
            let at = LEFT + long + 6.0;
            let states = number(row.states);
            body +=
                &format!("<text x=\"{at:.1}\" y=\"{middle}\">{states} states, {:.3} s</text>\n", row.seconds);
            y += BAR;
        }
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" font-family=\"sans-serif\" font-size=\"12\">\n{body}</svg>\n",
        LEFT + WIDE + 190.0,
        y + 16.0
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two() -> Comparison {
        let row = |name: &str, states| Searched {
            name: name.into(),
            verdict: "holds".into(),
            states,
            transitions: 2 * states,
            seconds: 0.25,
            bytes: 40 * states,
        };
        Comparison {
            title: "Queue<1> linearizable".into(),
            rows: vec![row("plain", 117_271), row("+ tight", 71)],
        }
    }

    #[test]
    fn columns_stand_below_one_another() {
        let wanted = "Queue<1> linearizable

  search   verdict   states  transitions     time    memory
  plain    holds    117,271      234,542  0.250 s  4,691 kB
  + tight  holds         71          142  0.250 s      3 kB
";
        assert_eq!(render_comparison(&two()), wanted);
    }

    #[test]
    fn a_plot_has_a_bar_per_search_and_no_raw_text() {
        let svg = plot_comparisons(&[two()]);
        assert_eq!(svg.matches("<rect").count(), 2);
        assert!(svg.contains("Queue&lt;1&gt;") && !svg.contains("Queue<1>"));
    }
}

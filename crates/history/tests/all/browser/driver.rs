//! A small WebDriver client: starts ChromeDriver with a headless Chromium and speaks HTTP with it.
//!
//! Everything that was started ends when the browser is dropped, also by a panic.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

/// How long one answer may take; machines under load are slow.
const PATIENCE: Duration = Duration::from_secs(300);
/// How often a browser that does not start is started again.
const ATTEMPTS: u32 = 4;

/// What Chromium is started with: no window, no sandbox (tests run as root), no network of its own.
const FLAGS: [&str; 11] = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--window-size=1400,900",
];

/// A browser with one window.
pub struct Browser {
    driver: Child,
    port: u16,
    session: String,
    profile: PathBuf,
}

impl Browser {
    /// Starts one with a fresh profile.
    pub fn start(folder: &Path) -> Browser {
        let mut errors = Vec::new();
        for attempt in 0..ATTEMPTS {
            match Browser::attempt(&folder.join(format!("profile{attempt}"))) {
                Ok(browser) => return browser,
                Err(e) => errors.push(e),
            }
        }
        panic!("no browser after {ATTEMPTS} attempts:\n{}", errors.join("\n"));
    }

    fn attempt(profile: &Path) -> Result<Browser, String> {
        let _ = std::fs::remove_dir_all(profile);
        std::fs::create_dir_all(profile).map_err(|e| e.to_string())?;
        // Port 0 lets the system choose; the driver says which it got.
        let mut driver = Command::new("/usr/bin/chromedriver")
            .arg("--port=0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|e| format!("chromedriver: {e}"))?;
        let output = driver.stdout.take().expect("it is piped");
        let mut browser = Browser { driver, port: 0, session: String::new(), profile: profile.to_path_buf() };
        browser.port = announced(output).ok_or("chromedriver named no port")?;
        let mut flags: Vec<String> = FLAGS.map(String::from).to_vec();
        flags.push(format!("--user-data-dir={}", profile.display()));
        let wanted = json!({"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": {"args": flags, "binary": "/usr/bin/chromium"},
            "goog:loggingPrefs": {"browser": "ALL"},
        }}});
        let answer = browser.ask("POST", "/session", Some(&wanted))?;
        browser.session = answer["sessionId"].as_str().ok_or("no session")?.to_string();
        let timeouts = json!({"script": 240_000, "pageLoad": 240_000});
        browser.command("POST", "timeouts", Some(&timeouts));
        Ok(browser)
    }

    /// Loads a file.
    pub fn open(&self, file: &Path) {
        let url = format!("file://{}", file.canonicalize().expect("the page exists").display());
        self.command("POST", "url", Some(&json!({ "url": url })));
    }

    /// What a script of the page answers.
    pub fn run(&self, script: &str) -> Value {
        self.command("POST", "execute/sync", Some(&json!({"script": script, "args": []})))
    }

    /// The same as a number.
    pub fn number(&self, script: &str) -> f64 {
        let value = self.run(script);
        value.as_f64().unwrap_or_else(|| panic!("{script}: {value}"))
    }

    /// The same as a text.
    pub fn text(&self, script: &str) -> String {
        let value = self.run(script);
        value.as_str().unwrap_or_else(|| panic!("{script}: {value}")).to_string()
    }

    /// Presses keys one after the other, then waits until the page has drawn.
    pub fn keys(&self, keys: &str) {
        let presses: Vec<Value> = keys
            .chars()
            .flat_map(|k| [json!({"type": "keyDown", "value": k}), json!({"type": "keyUp", "value": k})])
            .collect();
        self.act(json!({"type": "key", "id": "keyboard", "actions": presses}));
    }

    /// Presses a key while another is held.
    pub fn chord(&self, held: char, key: char) {
        let [down, up] = ["keyDown", "keyUp"];
        let presses = [(down, held), (down, key), (up, key), (up, held)]
            .map(|(what, k)| json!({"type": what, "value": k}));
        self.act(json!({"type": "key", "id": "keyboard", "actions": presses}));
    }

    /// Moves the mouse to a place and does something there.
    pub fn mouse(&self, x: i64, y: i64, then: &[Value]) {
        let mut actions = vec![json!({"type": "pointerMove", "duration": 0, "x": x, "y": y})];
        actions.extend_from_slice(then);
        self.act(json!({"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": actions}));
    }

    /// Clicks at a place.
    pub fn click(&self, x: i64, y: i64) {
        self.mouse(
            x,
            y,
            &[json!({"type": "pointerDown", "button": 0}), json!({"type": "pointerUp", "button": 0})],
        );
    }

    /// Turns the wheel at a place.
    pub fn wheel(&self, x: i64, y: i64, by: i64) {
        let turn = json!({"type": "scroll", "x": x, "y": y, "deltaX": 0, "deltaY": by, "duration": 0, "origin": "viewport"});
        self.act(json!({"type": "wheel", "id": "wheel", "actions": [turn]}));
    }

    fn act(&self, source: Value) {
        self.command("POST", "actions", Some(&json!({"actions": [source]})));
        self.settle();
    }

    /// Waits until everything that was asked for is drawn: two frames later.
    pub fn settle(&self) {
        let script =
            "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done(1)));";
        self.command("POST", "execute/async", Some(&json!({"script": script, "args": []})));
    }

    /// Sets whether the system prefers dark colours.
    pub fn prefer(&self, scheme: &str) {
        let features = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        let command = json!({"cmd": "Emulation.setEmulatedMedia", "params": {"features": features}});
        self.command("POST", "goog/cdp/execute", Some(&command));
        self.settle();
    }

    /// Resizes the window.
    pub fn size(&self, width: u32, height: u32) {
        self.command("POST", "window/rect", Some(&json!({"width": width, "height": height})));
        self.settle();
    }

    /// Warnings and errors of the console since the last time.
    pub fn complaints(&self) -> Vec<String> {
        let log = self.command("POST", "se/log", Some(&json!({"type": "browser"})));
        let entries = log.as_array().expect("a list of entries");
        let bad = |e: &&Value| matches!(e["level"].as_str(), Some("SEVERE" | "WARNING"));
        entries.iter().filter(bad).map(|e| e["message"].to_string()).collect()
    }

    fn command(&self, method: &str, path: &str, body: Option<&Value>) -> Value {
        let path = format!("/session/{}/{path}", self.session);
        self.ask(method, &path, body).unwrap_or_else(|e| panic!("{method} {path}: {e}"))
    }

    /// One request on a connection of its own.
    fn ask(&self, method: &str, path: &str, body: Option<&Value>) -> Result<Value, String> {
        let body = body.map_or(String::new(), Value::to_string);
        let send = || -> std::io::Result<String> {
            let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
            stream.set_read_timeout(Some(PATIENCE))?;
            write!(
                stream,
                "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Type: application/json\r\n\
                 Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
                self.port,
                body.len()
            )?;
            response(&mut BufReader::new(stream))
        };
        let text = send().map_err(|e| e.to_string())?;
        let mut answer: Value = serde_json::from_str(&text).map_err(|e| format!("{e}: {text}"))?;
        let value = answer["value"].take();
        match value.get("error") {
            Some(error) => Err(format!("{error}: {}", value["message"])),
            None => Ok(value),
        }
    }
}

/// The port in what the driver prints.
fn announced(output: impl Read + Send + 'static) -> Option<u16> {
    let mut lines = BufReader::new(output).lines();
    let port = lines.by_ref().map_while(Result::ok).find_map(|line| {
        let (_, rest) = line.split_once("started successfully on port ")?;
        rest.trim_end_matches('.').parse().ok()
    });
    // The driver must not block on a full pipe.
    std::thread::spawn(move || lines.for_each(drop));
    port
}

/// The body of a response with a length.
fn response(reader: &mut impl BufRead) -> std::io::Result<String> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().map_err(std::io::Error::other)?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    String::from_utf8(body).map_err(std::io::Error::other)
}

impl Drop for Browser {
    fn drop(&mut self) {
        if !self.session.is_empty() {
            // Ends the browser; the driver alone would leave it running.
            let _ = self.ask("DELETE", &format!("/session/{}", self.session), None);
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
        let _ = std::fs::remove_dir_all(&self.profile);
    }
}

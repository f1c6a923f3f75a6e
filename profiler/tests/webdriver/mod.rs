//! The part of WebDriver that a test of a page needs: a headless Chromium with a profile of its own, driven through
//! chromedriver. Both programs are looked for on the path.

#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot be set up has nothing better to do"
)]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// A page that takes longer than this for anything is taken to hang.
const PATIENCE: Duration = Duration::from_secs(30);

/// How many drivers are started before a test gives up.
const STARTS: usize = 10;

/// The arguments of the browser.
const ARGUMENTS: &[&str] = &[
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--force-device-scale-factor=1",
];

/// A browser with one window, ended when it goes.
pub(crate) struct Browser {
    driver: Child,
    port: u16,
    session: String,
    folder: PathBuf,
}

impl Browser {
    pub(crate) fn start() -> Browser {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("browser-{}-{number}", std::process::id());
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::create_dir_all(&folder).unwrap();
        let (driver, port) = start_driver();
        let mut browser = Browser {
            driver,
            port,
            session: String::new(),
            folder,
        };
        let profile = format!("--user-data-dir={}", browser.folder.join("user").display());
        let arguments: Vec<&str> = ARGUMENTS.iter().copied().chain([&*profile]).collect();
        let wanted = json!({"capabilities": {"alwaysMatch": {
            "browserName": "chrome",
            "goog:loggingPrefs": {"browser": "ALL"},
            "goog:chromeOptions": {"args": arguments},
        }}});
        let answer = browser.request("POST", "/session", &wanted);
        browser.session = format!("/session/{}", answer["sessionId"].as_str().unwrap());
        browser
    }

    /// Writes a document into the browser's folder, and answers its address.
    pub(crate) fn write(&self, name: &str, text: &str) -> String {
        let path = self.folder.join(name);
        std::fs::write(&path, text).unwrap();
        format!("file://{}", path.display())
    }

    /// Opens an address in a fresh document, and waits until it is loaded.
    pub(crate) fn open(&self, address: &str) {
        self.command("url", &json!({"url": "about:blank"}));
        self.command("url", &json!({"url": address}));
    }

    /// Runs a function's body in the page.
    pub(crate) fn run(&self, script: &str) -> Value {
        self.command("execute/sync", &json!({"script": script, "args": []}))
    }

    /// The result of a script as text.
    pub(crate) fn text(&self, expression: &str) -> String {
        match self.run(&format!("return {expression};")) {
            Value::String(text) => text,
            other => other.to_string(),
        }
    }

    /// Waits until an expression is true.
    pub(crate) fn wait_for(&self, expression: &str) {
        let start = Instant::now();
        while self.run(&format!("return Boolean({expression});")) != Value::Bool(true) {
            assert!(start.elapsed() < PATIENCE, "never true: {expression}");
            sleep(Duration::from_millis(20));
        }
    }

    fn element(&self, selector: &str) -> String {
        let found = self.command(
            "element",
            &json!({"using": "css selector", "value": selector}),
        );
        let references = found.as_object().unwrap();
        let reference = references.values().next().unwrap();
        reference.as_str().unwrap().to_string()
    }

    /// Clicks the first element that a selector finds.
    pub(crate) fn click(&self, selector: &str) {
        let element = self.element(selector);
        self.command(&format!("element/{element}/click"), &json!({}));
    }

    /// Types into the first element that a selector finds.
    pub(crate) fn press(&self, selector: &str, keys: &str) {
        let element = self.element(selector);
        self.command(&format!("element/{element}/value"), &json!({"text": keys}));
    }

    /// Clicks at a place of the window.
    pub(crate) fn click_at(&self, x: i64, y: i64) {
        let actions = json!({"actions": [{"type": "pointer", "id": "mouse", "actions": [
            {"type": "pointerMove", "duration": 0, "x": x, "y": y},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerUp", "button": 0},
        ]}]});
        self.command("actions", &actions);
    }

    /// Asserts that every text can be read before what stands behind it.
    pub(crate) fn assert_readable(&self, place: &str) {
        assert_eq!(self.run(include_str!("contrast.js")), "", "{place}");
    }

    /// Goes back.
    pub(crate) fn back(&self) {
        self.command("back", &json!({}));
    }

    /// Gives the window a size, however small.
    pub(crate) fn resize(&self, width: u32, height: u32) {
        let size =
            json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        self.devtools("Emulation.setDeviceMetricsOverride", &size);
    }

    /// Says which colours the system is said to prefer.
    pub(crate) fn prefer(&self, scheme: &str) {
        let feature = json!({"name": "prefers-color-scheme", "value": scheme});
        self.devtools(
            "Emulation.setEmulatedMedia",
            &json!({"features": [feature]}),
        );
    }

    fn devtools(&self, name: &str, parameters: &Value) -> Value {
        self.command(
            "goog/cdp/execute",
            &json!({"cmd": name, "params": parameters}),
        )
    }

    /// The new lines of the console since the last call.
    pub(crate) fn console(&self) -> Vec<String> {
        let entries = self.command("se/log", &json!({"type": "browser"}));
        let entries = entries.as_array().cloned().unwrap_or_default();
        let messages = entries.iter().map(|entry| entry["message"].to_string());
        messages.collect()
    }

    fn command(&self, name: &str, body: &Value) -> Value {
        self.request("POST", &format!("{}/{name}", self.session), body)
    }

    fn request(&self, method: &str, path: &str, body: &Value) -> Value {
        let body = body.to_string();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            body.len()
        );
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE * 2)).unwrap();
        stream.write_all((head + &body).as_bytes()).unwrap();
        let answer: Value = serde_json::from_slice(&answer_body(stream)).unwrap();
        let value = answer["value"].clone();
        assert!(value.get("error").is_none(), "{method} {path}: {value}");
        value
    }

    fn folder(&self) -> &Path {
        &self.folder
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if !self.session.is_empty() && !std::thread::panicking() {
            self.request("DELETE", &self.session, &json!({}));
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
        let _ = std::fs::remove_dir_all(self.folder());
    }
}

/// Starts a driver on a free port, and answers both.
///
/// A driver takes a free port of IPv6 and then wants the same one of IPv4. It ends when a connection of another test
/// has that one. Then another driver is started.
fn start_driver() -> (Child, u16) {
    let mut said = String::new();
    for _ in 0..STARTS {
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver is needed: apt-get install chromium chromium-driver");
        match port_of(&mut driver) {
            Ok(port) => return (driver, port),
            Err(output) => said = output,
        }
        let _ = driver.kill();
        let _ = driver.wait();
    }
    panic!("chromedriver did not start in {STARTS} attempts: {said}");
}

/// The port that a driver says it listens on, or what it said before it ended.
fn port_of(driver: &mut Child) -> Result<u16, String> {
    let mut lines = BufReader::new(driver.stdout.take().unwrap()).lines();
    let mut said = String::new();
    while let Some(line) = lines.next() {
        let line = line.unwrap();
        if line.contains("successfully") {
            // The other output is dropped, but it must be read, because a full pipe would block the driver.
            std::thread::spawn(move || lines.for_each(drop));
            let digits = line.trim_end_matches('.').rsplit(' ').next().unwrap();
            return Ok(digits.parse().unwrap());
        }
        said.push_str(&line);
        said.push('\n');
    }
    Err(said)
}

/// The body of an answer, as long as its head says.
fn answer_body(stream: TcpStream) -> Vec<u8> {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        let line = line.trim_end().to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line.is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    body
}

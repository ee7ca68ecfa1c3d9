//! The page of `--report` in a browser: at three widths, light and dark, by mouse and by keys. Needs `chromium`, so
//! that it runs on request only:
//! `cargo test --release --test cli -- --ignored browser`; with `CUBICLE_SHOTS=DIR` it leaves pictures there.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::run_words;

/// A page in a browser, controlled by the protocol of its developer tools.
struct Browser {
    process: Child,
    socket: TcpStream,
    number: u64,
    /// Errors of the page.
    complaints: Vec<Value>,
    _profile: tempfile::TempDir,
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Browser {
    fn open(page: &Path) -> Self {
        let profile = tempfile::tempdir().unwrap();
        let mut process = Command::new("chromium")
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg(format!("file://{}", page.display()))
            .stderr(Stdio::piped())
            .spawn()
            .expect("chromium is installed");
        let told = BufReader::new(process.stderr.take().unwrap());
        let mut lines = told.lines().map_while(Result::ok);
        let line = lines.find(|line| line.contains("DevTools listening on ws://")).expect("it listens");
        let address = line.split("ws://").nth(1).unwrap().split('/').next().unwrap().to_owned();
        std::thread::spawn(move || lines.for_each(drop));
        let path = Self::target(&address);
        let mut socket = TcpStream::connect(&address).unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let hello = format!(
            "GET {path} HTTP/1.1\r\nHost: {address}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
        );
        socket.write_all(hello.as_bytes()).unwrap();
        let mut answer = Vec::new();
        while !answer.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            socket.read_exact(&mut byte).unwrap();
            answer.push(byte[0]);
        }
        assert!(answer.starts_with(b"HTTP/1.1 101"), "{}", String::from_utf8_lossy(&answer));
        let mut browser = Self { process, socket, number: 0, complaints: Vec::new(), _profile: profile };
        for domain in ["Runtime.enable", "Log.enable", "Page.enable"] {
            browser.call(domain, json!({}));
        }
        browser
    }

    /// The path of the page's socket.
    fn target(address: &str) -> String {
        for _ in 0..100 {
            let mut stream = TcpStream::connect(address).unwrap();
            let question = format!("GET /json/list HTTP/1.1\r\nHost: {address}\r\n\r\n");
            stream.write_all(question.as_bytes()).unwrap();
            let mut answer = BufReader::new(stream);
            let mut size = 0;
            loop {
                let mut line = String::new();
                answer.read_line(&mut line).unwrap();
                if let Some(digits) = line.strip_prefix("Content-Length:") {
                    size = digits.trim().parse().unwrap();
                }
                if line.trim().is_empty() {
                    break;
                }
            }
            let mut body = vec![0; size];
            answer.read_exact(&mut body).unwrap();
            let targets: Value = serde_json::from_slice(&body).unwrap_or_default();
            let page = targets.as_array().into_iter().flatten().find(|target| target["type"] == "page");
            if let Some(url) = page.and_then(|page| page["webSocketDebuggerUrl"].as_str()) {
                return url.split_once(address).unwrap().1.to_owned();
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("the browser has no page");
    }

    fn call(&mut self, method: &str, params: Value) -> Value {
        self.number += 1;
        let text = json!({ "id": self.number, "method": method, "params": params }).to_string();
        // Masked with zeros, as a client has to.
        let mut frame = vec![0x81, 0x80 | 127];
        frame.extend((text.len() as u64).to_be_bytes());
        frame.extend([0; 4]);
        frame.extend(text.as_bytes());
        self.socket.write_all(&frame).unwrap();
        loop {
            let message = self.message();
            if message["id"] == self.number {
                assert!(message["error"].is_null(), "{method}: {message}");
                return message["result"].clone();
            }
            if message["method"] == "Runtime.exceptionThrown" || message["method"] == "Log.entryAdded" {
                self.complaints.push(message);
            }
        }
    }

    fn message(&mut self) -> Value {
        let mut text = Vec::new();
        loop {
            let mut head = [0; 2];
            self.socket.read_exact(&mut head).unwrap();
            let mut more = [0; 8];
            let size = match head[1] & 127 {
                126 => {
                    self.socket.read_exact(&mut more[6..]).unwrap();
                    u64::from_be_bytes(more)
                }
                127 => {
                    self.socket.read_exact(&mut more).unwrap();
                    u64::from_be_bytes(more)
                }
                short => u64::from(short),
            };
            let start = text.len();
            text.resize(start + size as usize, 0);
            self.socket.read_exact(&mut text[start..]).unwrap();
            if head[0] & 0x80 != 0 {
                return serde_json::from_slice(&text).unwrap();
            }
        }
    }

    /// The value of an expression in the page.
    fn ask(&mut self, expression: &str) -> Value {
        let result =
            self.call("Runtime.evaluate", json!({ "expression": expression, "returnByValue": true }));
        assert!(result["exceptionDetails"].is_null(), "{expression}: {result}");
        result["result"]["value"].clone()
    }

    /// Clicks where an element is.
    fn click(&mut self, selector: &str) {
        let place = self.ask(&format!(
            "(() => {{ const e = document.querySelector({selector:?}); e.scrollIntoView({{block: 'center', inline: 'center'}}); \
             const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; }})()"
        ));
        for kind in ["mousePressed", "mouseReleased"] {
            let event =
                json!({ "type": kind, "x": place[0], "y": place[1], "button": "left", "clickCount": 1 });
            self.call("Input.dispatchMouseEvent", event);
        }
    }

    fn key(&mut self, key: &str) {
        for kind in ["keyDown", "keyUp"] {
            self.call("Input.dispatchKeyEvent", json!({ "type": kind, "key": key, "code": key }));
        }
    }

    fn look(&mut self, width: u32, scheme: &str) {
        let metrics = json!({ "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", metrics);
        let media = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        self.call("Emulation.setEmulatedMedia", media);
    }

    /// Saves a screenshot, if requested.
    fn shoot(&mut self, name: &str) {
        let Some(folder) = std::env::var_os("CUBICLE_SHOTS") else { return };
        let shot = self.call("Page.captureScreenshot", json!({ "captureBeyondViewport": true }));
        let mut decoder = Command::new("base64")
            .arg("-d")
            .stdin(Stdio::piped())
            .stdout(std::fs::File::create(Path::new(&folder).join(format!("{name}.png"))).unwrap())
            .spawn()
            .unwrap();
        decoder.stdin.take().unwrap().write_all(shot["data"].as_str().unwrap().as_bytes()).unwrap();
        decoder.wait().unwrap();
    }
}

fn page_of(folder: &Path, name: &str, words: &[&str]) -> Browser {
    let page = folder.join(name);
    let page_name = page.display().to_string();
    run_words(&[words, &["--report", &page_name]].concat());
    Browser::open(&page)
}

#[test]
#[ignore = "needs chromium"]
fn trace_filter_and_graph_can_be_used() {
    let folder = tempfile::tempdir().unwrap();
    let mut browser =
        page_of(folder.path(), "wrong.html", &["--engine", "classic", "examples/mutex_wrong.cub"]);
    // The trace, by mouse and by keys.
    browser.click("button[data-go='1']");
    assert_eq!(browser.ask("document.querySelector('.now').textContent"), "Step 1 knock(#2) of 6");
    browser.click(".lanes button.step[data-step='4']");
    assert_eq!(browser.ask("document.querySelectorAll('tr.current').length"), 1);
    assert_eq!(browser.ask("document.querySelector('[aria-current=step]').dataset.step"), "4");
    browser.key("ArrowRight");
    assert_eq!(browser.ask("document.activeElement.dataset.step"), "5");
    // All values, and only some cells.
    let hidden = "getComputedStyle(document.querySelector('.states .same span')).visibility";
    assert_eq!(browser.ask(hidden), "hidden");
    browser.click("button.full");
    assert_eq!(browser.ask(hidden), "visible");
    assert_eq!(browser.ask("document.querySelector('button.full').getAttribute('aria-pressed')"), "true");
    browser.click("input.filter");
    browser.call("Input.insertText", json!({ "text": "at[#2]" }));
    assert_eq!(browser.ask("document.querySelector('.count').textContent"), "1 of 3 cells");
    let shown = "[...document.querySelector('.states').tHead.rows[0].cells].filter(c => !c.hidden).map(c => c.textContent).join()";
    assert_eq!(browser.ask(shown), "Step,At[#2]");
    // The graph, by mouse and by keys.
    browser.click(".node.bad rect");
    let chosen = "document.querySelector('.chosen').textContent";
    assert_eq!(browser.ask(chosen), "node 1, unsafe at line 16: At[#1] = Inside && At[#2] = Inside");
    browser.ask("document.querySelectorAll('.node')[1].focus()");
    browser.key("Enter");
    assert_eq!(browser.ask(chosen), "node 2, before set(#1): At[#1] = Seen && At[#2] = Inside");
    // A link into the model.
    browser.click(".literals a");
    assert_eq!(browser.ask("location.hash"), "#L16");
    assert_eq!(browser.complaints, Vec::<Value>::new());
}

#[test]
#[ignore = "needs chromium"]
fn it_fits_and_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let runs: [(&str, &[&str]); 3] = [
        ("wrong", &["--engine", "classic", "examples/german_wrong.cub", "--time-limit", "5m"]),
        ("proof", &["brab", "3", "examples/german.cub"]),
        (
            "walks",
            &["--only-forward", "--procs", "3", "--forward", "cfl", "--epochs", "20", "examples/german.cub"],
        ),
    ];
    for (name, words) in runs {
        let mut browser = page_of(folder.path(), &format!("{name}.html"), words);
        let mut grounds = Vec::new();
        for scheme in ["light", "dark"] {
            for width in [400, 900, 1600] {
                browser.look(width, scheme);
                let over = browser.ask("document.scrollingElement.scrollWidth - innerWidth");
                assert!(
                    over.as_i64().is_some_and(|over| over <= 0),
                    "{name} at {width}: {over} pixels too wide"
                );
                browser.shoot(&format!("{name}-{width}-{scheme}"));
            }
            grounds.push(browser.ask("getComputedStyle(document.documentElement).backgroundColor"));
        }
        assert_ne!(grounds[0], grounds[1], "light and dark");
        // Every control has a name, and headings come in order.
        let nameless = "[...document.querySelectorAll('button, input, [role=region], [role=button], [role=img]')].filter(e => \
                        !(e.getAttribute('aria-label') || e.textContent.trim() || (e.labels && e.labels.length))).length";
        assert_eq!(browser.ask(nameless), 0);
        assert_eq!(browser.ask("document.querySelectorAll('h1').length"), 1);
        assert_eq!(browser.complaints, Vec::<Value>::new());
    }
}

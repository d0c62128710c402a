package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"syscall"
	"time"
)

// browser is a headless Chromium behind chromedriver, by the protocol of
// https://www.w3.org/TR/webdriver2/.
type browser struct {
	driver  *exec.Cmd
	folder  string // of the browser's own files
	session string // the address of the session
	client  http.Client
}

// patience is how long an answer may take.
const patience = 30 * time.Second

func open(width, height int) (b *browser, err error) {
	b = &browser{client: http.Client{Timeout: patience}}
	defer func() {
		if err != nil {
			b.close()
		}
	}()
	if b.folder, err = os.MkdirTemp("", "timeline"); err != nil {
		return b, err
	}
	b.driver = exec.Command("chromedriver", "--port=0")
	b.driver.Stderr = os.Stderr
	b.driver.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // the browser ends with it
	out, err := b.driver.StdoutPipe()
	if err != nil {
		return b, err
	}
	if err = b.driver.Start(); err != nil {
		return b, err
	}
	address := ""
	for lines := bufio.NewScanner(out); address == "" && lines.Scan(); {
		if port := regexp.MustCompile(`started successfully on port (\d+)`).FindSubmatch(lines.Bytes()); port != nil {
			address = "http://127.0.0.1:" + string(port[1])
		}
	}
	if address == "" {
		return b, errors.New("chromedriver did not start")
	}
	go io.Copy(io.Discard, out)
	var answer struct{ SessionID string }
	err = b.ask("POST", address+"/session", object{"capabilities": object{"alwaysMatch": object{
		"browserName": "chrome",
		"goog:chromeOptions": object{"args": []string{
			"--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-quic", "--no-first-run", "--disable-background-networking",
			"--disable-component-update", "--disable-sync", "--user-data-dir=" + b.folder, fmt.Sprintf("--window-size=%d,%d", width, height),
		}},
		"goog:loggingPrefs": object{"browser": "ALL", "performance": "ALL"},
	}}}, &answer)
	b.session = address + "/session/" + answer.SessionID
	return b, err
}

// close ends what open started.
func (b *browser) close() {
	if b.session != "" {
		b.ask("DELETE", b.session, nil, nil)
	}
	if b.driver != nil && b.driver.Process != nil {
		syscall.Kill(-b.driver.Process.Pid, syscall.SIGKILL)
		b.driver.Wait()
	}
	os.RemoveAll(b.folder)
}

type object map[string]any

// ask sends a command, and reads what it gives into answer, which may be nil.
func (b *browser) ask(method, address string, command, answer any) error {
	var body bytes.Buffer
	if command != nil {
		if err := json.NewEncoder(&body).Encode(command); err != nil {
			return err
		}
	}
	request, err := http.NewRequest(method, address, &body)
	if err != nil {
		return err
	}
	response, err := b.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	var got struct{ Value json.RawMessage }
	if err := json.NewDecoder(response.Body).Decode(&got); err != nil {
		return fmt.Errorf("%s %s: %w", method, address, err)
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s %s: %s", method, address, got.Value)
	}
	if answer == nil {
		return nil
	}
	return json.Unmarshal(got.Value, answer)
}

// post sends a command of the session.
func (b *browser) post(what string, command, answer any) error {
	return b.ask("POST", b.session+"/"+what, command, answer)
}

// run runs a script in the page, after it has drawn; what it returns goes to answer.
func (b *browser) run(script string, answer any) error {
	const drawn = `const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done((() => { %s })())));`
	return b.post("execute/async", object{"script": fmt.Sprintf(drawn, script), "args": []any{}}, answer)
}

// mouse moves to a place, and does what else is asked for there.
func (b *browser) mouse(x, y float64, more ...object) error {
	at := object{"type": "pointerMove", "x": int(x), "y": int(y), "duration": 0}
	return b.act(object{"type": "pointer", "id": "mouse", "parameters": object{"pointerType": "mouse"}, "actions": append([]object{at}, more...)})
}

// pressed is a button of the mouse that goes down and up.
func pressed() []object {
	return []object{{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}}
}

func (b *browser) wheel(x, y float64, by int) error {
	return b.act(object{"type": "wheel", "id": "wheel", "actions": []object{{"type": "scroll", "x": int(x), "y": int(y), "deltaX": 0, "deltaY": by, "duration": 0}}})
}

// keys presses keys, one after the other.
func (b *browser) keys(text string) error {
	var all []object
	for _, r := range text {
		all = append(all, object{"type": "keyDown", "value": string(r)}, object{"type": "keyUp", "value": string(r)})
	}
	return b.act(object{"type": "key", "id": "keys", "actions": all})
}

func (b *browser) act(device object) error {
	return b.post("actions", object{"actions": []object{device}}, nil)
}

// logged returns what has been logged since it was last asked.
func (b *browser) logged(kind string) (messages []string, err error) {
	var entries []struct{ Level, Message string }
	if err := b.post("se/log", object{"type": kind}, &entries); err != nil {
		return nil, err
	}
	for _, e := range entries {
		messages = append(messages, e.Message)
	}
	return messages, nil
}

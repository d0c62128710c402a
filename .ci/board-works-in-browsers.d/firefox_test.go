package board

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// firefox is a headless Firefox, driven by the Marionette protocol: JSON messages with a length prefix.
type firefox struct {
	*testing.T
	conn   net.Conn
	reader *bufio.Reader
	number int
}

// startFirefox starts a Firefox with its own profile. It ends with the test.
func startFirefox(t *testing.T) *firefox {
	t.Helper()
	profile := t.TempDir()
	preferences := `user_pref("marionette.port", 0);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("toolkit.telemetry.enabled", false);
user_pref("app.update.enabled", false);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
user_pref("browser.safebrowsing.malware.enabled", false);
user_pref("browser.startup.homepage", "about:blank");
user_pref("ui.systemUsesDarkTheme", 1);
`
	if err := os.WriteFile(filepath.Join(profile, "user.js"), []byte(preferences), 0o600); err != nil {
		t.Fatal(err)
	}
	c := exec.Command("firefox-esr", "--headless", "--marionette", "--no-remote", "--profile", profile, "about:blank")
	c.Env = append(os.Environ(), "HOME="+profile, "MOZ_CRASHREPORTER_DISABLE=1")
	said := &strings.Builder{}
	c.Stderr = said
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Process.Kill()
		c.Wait()
	})
	f := &firefox{T: t}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for f.conn == nil {
		port, err := os.ReadFile(filepath.Join(profile, "MarionetteActivePort"))
		if err == nil {
			f.conn, err = net.Dial("tcp", "127.0.0.1:"+strings.TrimSpace(string(port)))
		}
		select {
		case <-ctx.Done():
			t.Fatalf("Firefox does not start: %v; %s", err, said)
		case <-time.After(20 * time.Millisecond):
		}
	}
	t.Cleanup(func() { f.conn.Close() })
	f.conn.SetDeadline(time.Now().Add(patience))
	f.reader = bufio.NewReader(f.conn)
	f.receive() // the greeting
	f.send("WebDriver:NewSession", map[string]any{})
	f.send("WebDriver:SetTimeouts", map[string]any{"script": patience.Milliseconds(), "pageLoad": patience.Milliseconds()})
	return f
}

// receive returns the next message.
func (f *firefox) receive() []byte {
	f.Helper()
	length, err := f.reader.ReadString(':')
	if err != nil {
		f.Fatal(err)
	}
	n, err := strconv.Atoi(strings.TrimSuffix(length, ":"))
	if err != nil {
		f.Fatal(err)
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(f.reader, text); err != nil {
		f.Fatal(err)
	}
	return text
}

// send sends a command and returns its result. It fails the test on an error.
func (f *firefox) send(command string, parameters any) json.RawMessage {
	f.Helper()
	result, err := f.attempt(command, parameters)
	if err != nil {
		f.Fatal(err)
	}
	return result
}

// attempt sends a command that may fail.
func (f *firefox) attempt(command string, parameters any) (json.RawMessage, error) {
	f.Helper()
	f.number++
	text, err := json.Marshal([]any{0, f.number, command, parameters})
	if err == nil {
		_, err = fmt.Fprintf(f.conn, "%d:%s", len(text), text)
	}
	if err != nil {
		f.Fatal(err)
	}
	var answer [4]json.RawMessage
	if err := json.Unmarshal(f.receive(), &answer); err != nil {
		f.Fatal(err)
	}
	if string(answer[2]) != "null" {
		return nil, fmt.Errorf("%s: %s", command, answer[2])
	}
	return answer[3], nil
}

// value sends a command and decodes its value.
func (f *firefox) value(to any, command string, parameters any) {
	f.Helper()
	result := struct{ Value any }{to}
	if err := json.Unmarshal(f.send(command, parameters), &result); err != nil {
		f.Fatal(err)
	}
}

func (f *firefox) name() string { return "Firefox" }

func (f *firefox) visit(address string) {
	f.Helper()
	f.send("WebDriver:Navigate", map[string]any{"url": address})
}

func (f *firefox) script(to any, body string) error {
	f.Helper()
	text, err := f.attempt("WebDriver:ExecuteAsyncScript", map[string]any{"args": []any{}, "script": `const done = arguments[arguments.length - 1]; (async () => {` + body + `})().then(done, e => done(String(e)));`})
	if err != nil {
		return err
	}
	return json.Unmarshal(text, &struct{ Value any }{to})
}

// element returns the reference of an element.
func (f *firefox) element(selector string) string {
	f.Helper()
	found := map[string]string{}
	f.value(&found, "WebDriver:FindElement", map[string]any{"using": "css selector", "value": selector})
	for _, reference := range found {
		return reference
	}
	f.Fatalf("there is no %s", selector)
	return ""
}

func (f *firefox) press(selector string) {
	f.Helper()
	f.send("WebDriver:ElementClick", map[string]any{"id": f.element(selector)})
}

func (f *firefox) write(selector, text string) {
	f.Helper()
	f.send("WebDriver:ElementSendKeys", map[string]any{"id": f.element(selector), "text": text})
}

func (f *firefox) size(width, height int) {
	f.Helper()
	for range 2 { // the window is larger than its viewport
		var frame [2]int
		run(f.T, f, &frame, `return [outerWidth - innerWidth, outerHeight - innerHeight];`)
		f.send("WebDriver:SetWindowRect", map[string]any{"width": width + frame[0], "height": height + frame[1]})
	}
	run(f.T, f, new(bool), fmt.Sprintf(`while (innerWidth !== %d || innerHeight !== %d) await new Promise(r => requestAnimationFrame(r)); return true;`, width, height))
}

func (f *firefox) picture() (png []byte) {
	f.Helper()
	f.value(&png, "WebDriver:TakeScreenshot", map[string]any{"full": false})
	return png
}

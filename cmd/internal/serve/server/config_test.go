package server

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"voicepool/cmd/internal/serve/webauth"
)

// TestConfig reads a complete configuration.
func TestConfig(t *testing.T) {
	const text = `
listen: 0.0.0.0:7700
osc: ":53000"
tokens: tokens
hosts: [board.example, "stage.local:8443"]
cert: /etc/cert.pem
key: key.pem
state: state
limits: {connections: 100, connections_per_address: 10, requests: 5000, requests_per_address: 50, logins: 3, sessions: 20, rooms: 7}
rooms:
  main: {sheet: show.yaml, device: auto, voices: 32, public: read}
  foyer: {bank: bank.yaml, device: pulse, sink: hall, folder: sounds, public: operate}
  shut: {public: none}
  plain:
`
	got, err := ParseConfig("conf/voicepool.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	in := func(name string) string { return filepath.Join("conf", name) }
	want := &Config{
		Listen: "0.0.0.0:7700", OSC: ":53000", Tokens: in("tokens"), Cert: "/etc/cert.pem", Key: in("key.pem"), State: in("state"),
		Hosts:  []string{"board.example", "stage.local:8443"},
		Limits: webauth.Limits{Connections: 100, PerAddress: 10, Rate: 5000, AddressRate: 50, Logins: 3, Sessions: 20}, MaxRooms: 7,
		Rooms: []RoomConfig{
			{Name: "foyer", Sheet: in("bank.yaml"), Folder: in("sounds"), Device: "pulse:hall", Public: PublicOperate},
			{Name: "main", Sheet: in("show.yaml"), Device: "auto", Voices: 32, Public: PublicRead},
			{Name: "plain"},
			{Name: "shut", Public: PublicNone},
		},
	}
	if filepath.Separator != '/' {
		want.Cert = in("/etc/cert.pem") // on Windows, it has no drive
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("it is read as\n%+v\nwant\n%+v", got, want)
	}
	for p, want := range map[Public]string{PublicUnset: "none false", PublicNone: "none true", PublicRead: "read-only true", PublicOperate: "operator true"} {
		role, some := p.role()
		if got := fmt.Sprint(role, some); got != want {
			t.Errorf("%d is %s, want %s", p, got, want)
		}
	}
}

// TestConfigFaults checks the position and the text of errors.
func TestConfigFaults(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "c.yaml:1:1: the configuration is empty; write rooms: {main: {sheet: show.yaml}}"},
		{"listen: :7700", "c.yaml:1:1: the configuration has no rooms; write rooms: {main: {sheet: show.yaml}}"},
		{"[1]", "c.yaml:1:1: the configuration is a mapping, such as {listen: ...}, not a list"},
		{"rooms: {main: {}}\nliste: x", `c.yaml:2:1: unknown key "liste" in the configuration; did you mean "listen"?`},
		{"rooms:\n  main: {shet: x}", `c.yaml:2:10: unknown key "shet" in a room; did you mean "sheet"?`},
		{"rooms:\n  main: {sheet: a, bank: b}", "c.yaml:2:3: a room has a sheet or a bank, not both"},
		{"rooms:\n  main: {device: oto, sink: b}", "c.yaml:2:3: sink: only device pulse has sinks"},
		{"rooms:\n  ../x: {}", `c.yaml:2:3: invalid room name "../x" (want letters, digits, _, - and ., not beginning with .)`},
		{"rooms:\n  " + strings.Repeat("x", 65) + ": {}", "c.yaml:2:3: the name of a room has 1 to 64 letters"},
		{"rooms: {main: {voices: 0}}", "c.yaml:1:24: voices takes a whole number from 1 to 65536, not \"0\""},
		{"rooms: {main: {public: all}}", `c.yaml:1:24: public: there is no "all"; want one of none, read or operate`},
		{"rooms: {main: {}, main: {}}", `c.yaml:1:19: the name "main" is in rooms twice, first in line 1`},
		{"rooms: {main: {}}\nhosts: http://x", `c.yaml:2:8: hosts: invalid host name "http://x" (want a name such as stage.local, or name:port)`},
		{"rooms: {main: {}}\nlimits: {connection: 5}", `c.yaml:2:10: unknown key "connection" in limits; did you mean "connections"?`},
		{"rooms: {main: {}}\ncert: a", "c.yaml:1:1: cert and key need each other"},
		{"rooms: {a: {x: 1}, b: {y: 1}}", `c.yaml:1:13: unknown key "x" in a room (and 1 more)`},
		{"rooms: [", "c.yaml:1:8: this [ is never closed"},
	} {
		got, err := ParseConfig("c.yaml", []byte(c.text))
		if err == nil || err.Error() != c.want {
			t.Errorf("%q: %+v, %v, want %s", c.text, got, err, c.want)
		}
	}
	if _, err := LoadConfig(filepath.Join(t.TempDir(), "none.yaml")); err == nil || !strings.HasSuffix(err.Error(), "none.yaml: no such file or directory") && filepath.Separator == '/' {
		t.Errorf("of no file it says %v", err)
	}
	large := filepath.Join(t.TempDir(), "large.yaml")
	if err := os.WriteFile(large, make([]byte, 1<<20+1), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadConfig(large); err == nil || !strings.HasSuffix(err.Error(), "is larger than 1 MiB") {
		t.Errorf("of a large file it says %v", err)
	}
}

// TestAddresses checks valid and invalid addresses.
func TestAddresses(t *testing.T) {
	for address, want := range map[string]string{
		":7700": "", "127.0.0.1:0": "", "[::1]:7700": "", "stage.local:65535": "",
		"7700":      `invalid address "7700" (want HOST:PORT such as 127.0.0.1:7700, or :7700 for all interfaces)`,
		"":          `invalid address "" (want HOST:PORT such as 127.0.0.1:7700, or :7700 for all interfaces)`,
		"[::1:7700": `invalid address "[::1:7700" (want HOST:PORT such as 127.0.0.1:7700, or :7700 for all interfaces)`,
		"a:70000":   "a:70000 has no port, want 0..65535 after the last colon",
		"a:http":    "a:http has no port, want 0..65535 after the last colon",
		"a:-1":      "a:-1 has no port, want 0..65535 after the last colon",
	} {
		err := checkAddress(address)
		if got := fmt.Sprint(err); err == nil && want != "" || err != nil && got != want {
			t.Errorf("%q: %v, want %q", address, err, want)
		}
	}
}

package server

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"voicepool/cmd/internal/serve/webauth"
	"voicepool/internal/sheet/fields"
	"voicepool/internal/sheet/yaml"
	"voicepool/internal/words"
	"voicepool/mixer"
)

// Config is the content of a configuration file. In the file, relative paths start at the folder of
// the file. In Config they start at the working directory.
type Config struct {
	Listen, OSC      string
	Tokens           string // path of the token file
	Cert, Key, State string
	Hosts            []string
	Limits           webauth.Limits
	MaxRooms         int // 0: the default of the service
	Rooms            []RoomConfig
}

// RoomConfig is a room of a configuration file.
type RoomConfig struct {
	Name   string
	Sheet  string // path of a sheet or a bank; empty: the built-in sounds
	Folder string // of its sounds; empty: the folder of the sheet
	Device string // as in --device; optional
	Voices int    // 0: as in the sheet
	Public Public
}

// Public is the role of callers without a token in a room.
type Public uint8

const (
	PublicUnset Public = iota
	PublicNone
	PublicRead
	PublicOperate
)

// String returns the value as it appears in configuration files, and "" for PublicUnset.
func (p Public) String() string {
	return words.Name("Public", p, []string{"", "none", "read", "operate"})
}

// role converts p to a role of the guard, which checks access. some is false if the configuration has no value, so that
// p is PublicUnset. The role is then the lowest, as for PublicNone.
func (p Public) role() (role webauth.Role, some bool) {
	return webauth.Role(max(p, PublicNone) - PublicNone), p != PublicUnset
}

// maxConfigBytes is the maximum size of a configuration file in bytes.
const maxConfigBytes = 1 << 20

// LoadConfig reads the configuration file at path. A file of more than 1 MiB is an error. For an invalid file, the
// error is one line. It has the path, the place of the first fault and the number of further faults.
func LoadConfig(path string) (*Config, error) {
	info, err := os.Stat(path)
	if err == nil && info.Size() > maxConfigBytes {
		return nil, fmt.Errorf("%s: is larger than 1 MiB", words.OneLine(path))
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", words.OneLine(path), words.Cause(err))
	}
	return ParseConfig(path, text)
}

// ParseConfig parses text, the content of a configuration file, without reading a file. path is the path of that file:
// relative paths in text start at its folder. The result has the rooms sorted by name. The error is one line with path,
// the place of the first fault and the number of further faults.
func ParseConfig(path string, text []byte) (*Config, error) {
	title := words.OneLine(path)
	root, wrong := yaml.Read(text, "configuration")
	if wrong != nil {
		return nil, fmt.Errorf("%s:%w", title, wrong)
	}
	c := &Config{}
	r := &fields.Reader{}
	if root == nil || root.Kind == yaml.Null {
		r.Fail(yaml.Position{Line: 1, Column: 1}, "the configuration is empty; write rooms: {main: {sheet: show.yaml}}")
	} else {
		c.read(r, root)
	}
	if r.Failed() {
		var lines []string
		for _, w := range r.SortedErrors() {
			lines = append(lines, fmt.Sprintf("%s:%v", title, w))
		}
		if len(lines) > 1 {
			lines = append(lines[:1], fmt.Sprintf("(and %d more)", len(lines)-1))
		}
		return nil, fmt.Errorf("%s", strings.Join(lines, " "))
	}
	c.resolvePaths(filepath.Dir(path))
	return c, nil
}

// read fills c from root, the parsed configuration file, and reports faults to r. Unless it finds other faults, a
// configuration without rooms is a fault. So is a certificate without a key, or a key without a certificate.
func (c *Config) read(r *fields.Reader, root *yaml.Node) {
	r.Read(root, "the configuration", c.fields(r))
	if len(c.Rooms) == 0 && !r.Failed() {
		r.Fail(root.Position, "the configuration has no rooms; write rooms: {main: {sheet: show.yaml}}")
	}
	if (c.Cert == "") != (c.Key == "") && !r.Failed() {
		r.Fail(root.Position, "cert and key need each other")
	}
}

// fields returns the keys that a configuration file may have, for r.Read. When r reads the file with them, it sets the
// fields of c. Faults are reported to r.
func (c *Config) fields(r *fields.Reader) []fields.Field {
	limits := c.limits()
	room := fields.Mapping{Fields: new(RoomConfig).fields(new(string), new(string))}
	return []fields.Field{
		{Key: "listen", To: &c.Listen},
		{Key: "osc", To: &c.OSC},
		{Key: "tokens", To: &c.Tokens},
		{Key: "hosts", To: func(p *yaml.Pair) bool { return readHosts(r, p, &c.Hosts) }, Shape: fields.Either{new(string), fields.List{Of: new(string)}}},
		{Key: "cert", To: &c.Cert},
		{Key: "key", To: &c.Key},
		{Key: "state", To: &c.State},
		{Key: "limits", To: func(p *yaml.Pair) bool { r.Read(p.Value, "limits", limits); return true }, Shape: fields.Mapping{Fields: limits}},
		{Key: "rooms", To: func(p *yaml.Pair) bool {
			r.Named(p.Value, "rooms", func(p *yaml.Pair) { c.room(r, p) })
			return true
		}, Shape: fields.Names{Of: room}},
	}
}

// limits returns the keys that `limits` in a configuration file may have, with the range of each value. When a
// fields.Reader reads them, it sets c.Limits and c.MaxRooms.
func (c *Config) limits() []fields.Field {
	l := &c.Limits
	many := fields.Limits{From: 1, To: 1_000_000}
	return []fields.Field{
		{Key: "connections", To: &l.Connections, Within: many},
		{Key: "connections_per_address", To: &l.PerAddress, Within: many},
		{Key: "requests", To: &l.Rate, Within: many},
		{Key: "requests_per_address", To: &l.AddressRate, Within: many},
		{Key: "logins", To: &l.Logins, Within: many},
		{Key: "sessions", To: &l.Sessions, Within: many},
		{Key: "rooms", To: &c.MaxRooms, Within: fields.Limits{From: 1, To: 100_000}},
	}
}

// fields returns the keys that a room in a configuration file may have. When a fields.Reader reads them, it sets the
// fields of c. The values of the keys `bank` and `sink` are stored in *bank and *sink instead. The caller must merge
// these two into c.Sheet and c.Device.
func (c *RoomConfig) fields(bank, sink *string) []fields.Field {
	return []fields.Field{
		{Key: "sheet", To: &c.Sheet},
		{Key: "bank", To: bank},
		{Key: "folder", To: &c.Folder},
		{Key: "device", To: &c.Device},
		{Key: "sink", To: sink},
		{Key: "voices", To: &c.Voices, Within: fields.Limits{From: 1, To: mixer.MaxVoices}},
		{Key: "public", To: fields.Choice(&c.Public, PublicNone, PublicRead, PublicOperate)},
	}
}

// room reads one room of the configuration file and appends it to c.Rooms. The key of p is the name of the room, and
// its value has the settings. Faults are reported to r. A room with an invalid name is not appended; a room with other
// faults is. The value of `bank` becomes its sheet, and a `sink` the device "pulse:SINK". A null value gives a room
// without settings.
func (c *Config) room(r *fields.Reader, p *yaml.Pair) {
	one := RoomConfig{Name: p.Key}
	if err := checkName(p.Key); err != nil {
		r.Fail(p.Position, "%v", err)
		return
	}
	if p.Value.Kind == yaml.Null { // as in {main: }
		c.Rooms = append(c.Rooms, one)
		return
	}
	bank, sink := "", ""
	r.Read(p.Value, "a room", one.fields(&bank, &sink))
	switch {
	case bank != "" && one.Sheet != "":
		r.Fail(p.Position, "a room has a sheet or a bank, not both")
	case sink != "" && one.Device != "" && one.Device != "pulse":
		r.Fail(p.Position, "sink: only device pulse has sinks")
	}
	if bank != "" {
		one.Sheet = bank
	}
	if sink != "" {
		one.Device = "pulse:" + sink
	}
	c.Rooms = append(c.Rooms, one)
}

// readHosts reads the value of p, one host name or a list of host names, and appends the names to *to. If a name is
// invalid, it reports a fault to r and returns false. The names before that one stay in *to.
func readHosts(r *fields.Reader, p *yaml.Pair, to *[]string) bool {
	items := []*yaml.Node{p.Value}
	if p.Value.Kind == yaml.List {
		items = p.Value.Items
	}
	for _, item := range items {
		one, host := *p, ""
		one.Value = item
		if !r.Word(&one, &host) {
			return false
		}
		if err := checkHost(host); err != nil {
			r.Fail(item.Position, "hosts: %v", err)
			return false
		}
		*to = append(*to, host)
	}
	return true
}

// checkHost returns an error if host is empty or contains a slash, @, space, tab, *, ? or #. host is a host name with
// an optional port. Other characters and the port are not checked.
func checkHost(host string) error {
	if host == "" || strings.ContainsAny(host, "/@ \t*?#") {
		return fmt.Errorf("invalid host name %s (want a name such as stage.local, or name:port)", yaml.Quote(host))
	}
	return nil
}

// maxNameLength is the maximum length of a room name in bytes.
const maxNameLength = 64

// checkName returns an error if name is not valid for a room. A valid name has 1 to 64 characters: ASCII letters,
// digits, _, - and dots, but no leading dot. The name becomes the name of a folder and a part of URLs.
func checkName(name string) error {
	for i, r := range name {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' || r == '.' && i > 0) {
			return fmt.Errorf("invalid room name %s (want letters, digits, _, - and ., not beginning with .)", yaml.Quote(name))
		}
	}
	if name == "" || len(name) > maxNameLength {
		return fmt.Errorf("the name of a room has 1 to %d letters", maxNameLength)
	}
	return nil
}

// resolvePaths joins the relative paths in c to folder, and sorts the rooms by name. Empty and absolute paths stay
// unchanged.
func (c *Config) resolvePaths(folder string) {
	paths := []*string{&c.Tokens, &c.Cert, &c.Key, &c.State}
	for i := range c.Rooms {
		paths = append(paths, &c.Rooms[i].Sheet, &c.Rooms[i].Folder)
	}
	for _, p := range paths {
		if *p != "" && !filepath.IsAbs(*p) {
			*p = filepath.Join(folder, *p)
		}
	}
	slices.SortStableFunc(c.Rooms, func(a, b RoomConfig) int { return strings.Compare(a.Name, b.Name) })
}

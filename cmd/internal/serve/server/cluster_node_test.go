package server

import (
	"net"
	"os"
	"strings"
	"testing"

	"voicepool/cmd/internal/cluster"
)

// TestFarFlags checks combinations of flags with --nats.
func TestFarFlags(t *testing.T) {
	nats := cluster.Flags{NATS: "nats://a:4222,nats://b"}
	for _, c := range []struct {
		options Options
		says    string // part of the error; empty without an error
	}{
		{Options{}, ""},
		{Options{Cluster: ClusterFlags{Flags: nats}}, ""},
		{Options{Sheet: "show.yaml", Device: "null", Cluster: ClusterFlags{Flags: nats, Node: "a-1", Advertise: "stage:7700"}}, ""},
		{Options{Cluster: ClusterFlags{Node: "a"}}, "--node and --advertise need --nats"},
		{Options{Cluster: ClusterFlags{Advertise: "a:1"}}, "--node and --advertise need --nats"},
		{Options{State: "s", Cluster: ClusterFlags{Flags: nats}}, "--state cannot be used with --nats"},
		{Options{Voices: 3, Cluster: ClusterFlags{Flags: nats}}, "`voices` in the sheet"},
		{Options{Cluster: ClusterFlags{Flags: nats, Node: "a.b"}}, `--node: "a.b"`},
		{Options{Cluster: ClusterFlags{Flags: nats, Advertise: "stage"}}, "--advertise: invalid address \"stage\""},
		{Options{Cluster: ClusterFlags{Flags: cluster.Flags{NATS: "http://a"}}}, "of a NATS server (want nats:"},
		{Options{Cluster: ClusterFlags{Flags: cluster.Flags{NATS: "nats://u:secret@"}}}, "of a NATS server (want nats:"},
		{Options{Cluster: ClusterFlags{Flags: cluster.Flags{NATS: "nats://a/room"}}}, "of a NATS server (want nats:"},
	} {
		err := c.options.Check()
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %v, want %q", c.options.Cluster, err, c.says)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("a password is told: %v", err)
		}
	}
}

// TestFarConfig checks which rooms of a configuration can be placed.
func TestFarConfig(t *testing.T) {
	for text, says := range map[string]string{
		"rooms: {main: {sheet: a.yaml}}":                  "",
		"rooms: {main: {sheet: a.yaml, folder: sounds}}":  "",
		"rooms: {main: {sheet: a.yaml, device: none}}":    "",
		"rooms: {main: {sheet: a.yaml, public: operate}}": "",
		"rooms: {main: {sheet: a.yaml, device: pulse}}":   "--device for all rooms of a node",
		"rooms: {main: {sheet: a.yaml, voices: 4}}":       "`voices` in the sheet",
		"rooms: {main: }":                            "has no sheet",
		"rooms: {a.b: {sheet: a.yaml}}":              `room "a.b"`,
		"{state: s, rooms: {main: {sheet: a.yaml}}}": "state: cannot be used with",
	} {
		c, err := ParseConfig("voicepool.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if err = c.checkCluster(); (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", text, err, says)
		}
	}
}

// TestAddress checks the address of a node for other nodes.
func TestAddress(t *testing.T) {
	for _, c := range []struct {
		listen, advertise string
		tls               bool
		want              string // HOST is this machine's name
	}{
		{"127.0.0.1:7700", "", false, "http://127.0.0.1:7700"},
		{"[::1]:7700", "", false, "http://[::1]:7700"},
		{"stage.local:7700", "", true, "https://stage.local:7700"},
		{"10.1.2.3:80", "stage:8080", false, "http://stage:8080"},
		{":7700", "", false, "http://HOST:7700"},
		{"0.0.0.0:7700", "", false, "http://HOST:7700"},
	} {
		host, port, _ := net.SplitHostPort(c.listen)
		addr := &net.TCPAddr{IP: net.ParseIP(host)}
		if host == "" {
			addr.IP = net.IPv6unspecified
		} else if addr.IP == nil {
			addr.IP = net.IPv4(10, 0, 0, 1)
		}
		addr.Port, _ = net.LookupPort("tcp", port)
		s := &server{Options: Options{Cluster: ClusterFlags{Advertise: c.advertise}}, config: &Config{Listen: c.listen}, addr: addr}
		if c.tls {
			s.cert = &certificate{}
		}
		want := strings.Replace(c.want, "HOST", hostName(t), 1)
		if got := s.address(); got != want {
			t.Errorf("--listen %s --advertise %s: %s, want %s", c.listen, c.advertise, got, want)
		}
	}
}

func hostName(t *testing.T) string {
	name, err := os.Hostname()
	if err != nil {
		t.Skip("this machine has no name")
	}
	return name
}

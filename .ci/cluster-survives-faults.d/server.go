package cluster

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// serverEnv has the configuration of the server that a process of the test binary is.
const serverEnv = "VOICEPOOL_NATS_SERVER"

// begun is the line that says that a server takes connections.
const begun = "takes connections"

// config is that of one server.
type config struct {
	Name, Host, Store           string
	Port, Routes, Monitor, MQTT int // 0: not that
	Peers                       []string
	Sync                        bool
	File                        string // of a configuration that is read instead; empty: none
}

// serve is a NATS server until a signal ends it, as one ends nats-server. It returns the exit code where it cannot be one.
func serve(text string) int {
	var c config
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	o := &server.Options{
		ServerName: c.Name, Host: c.Host, Port: c.Port, HTTPHost: c.Host, HTTPPort: c.Monitor,
		JetStream: true, StoreDir: c.Store, JetStreamMaxMemory: 256 << 20, JetStreamMaxStore: 2 << 30,
	}
	o.SyncAlways = c.Sync
	if c.Routes > 0 {
		o.Cluster = server.ClusterOpts{Name: "proofs", Host: c.Host, Port: c.Routes}
		for _, peer := range c.Peers {
			o.Routes = append(o.Routes, &url.URL{Scheme: "nats", Host: peer})
		}
	}
	if c.MQTT > 0 {
		o.MQTT = server.MQTTOpts{Host: c.Host, Port: c.MQTT}
	}
	if c.File != "" {
		file, err := server.ProcessConfigFile(c.File)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 2
		}
		o = file
	}
	s, err := server.NewServer(o)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	s.ConfigureLogger() // to stderr; it ends the process where a port is taken
	s.Start()
	if !s.ReadyForConnections(30 * time.Second) {
		fmt.Fprintln(os.Stderr, "no connections after 30 s")
		return 3
	}
	fmt.Println(begun)
	s.WaitForShutdown()
	return 0
}

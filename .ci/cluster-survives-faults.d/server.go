package cluster

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// serverEnv is the environment variable with the configuration of a server process.
const serverEnv = "VOICEPOOL_NATS_SERVER"

// begun is the line that a server prints when it accepts connections.
const begun = "takes connections"

// config is the configuration of one server.
type config struct {
	Name, Host, Store           string
	Port, Routes, Monitor, MQTT int // 0: off
	Peers                       []string
	Sync                        bool
	File                        string // of a configuration file to use instead; empty: no file
}

// serve runs a NATS server until a signal ends it. It returns the exit code if the server cannot start.
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
	s.ConfigureLogger() // to stderr; the server ends the process if a port is in use
	s.Start()
	if !s.ReadyForConnections(30 * time.Second) {
		fmt.Fprintln(os.Stderr, "no connections after 30 s")
		return 3
	}
	fmt.Println(begun)
	s.WaitForShutdown()
	return 0
}

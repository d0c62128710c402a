// Package cluster tests voicepool on several machines: real NATS servers with JetStream, real nodes, and
// networks that break. Each server and node is a process, each machine a network namespace. It needs Linux, and
// root for the networks.
//
//	func TestMain(m *testing.M) { cluster.Main(m) }
//
//	n := cluster.Servers(t, 3)
//	p := cluster.Run(t, "serve", "--nats", n.URL(), "--node", "a")
//	n.Kill(0)
package cluster

import (
	"os"
	"testing"
)

// Main runs the tests or, in the processes that Servers starts, a NATS server. It does not return.
func Main(m *testing.M) {
	if config := os.Getenv(serverEnv); config != "" {
		os.Exit(serve(config))
	}
	code := m.Run()
	if built.folder != "" {
		os.RemoveAll(built.folder)
	}
	os.Exit(code)
}

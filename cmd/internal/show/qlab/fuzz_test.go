package qlab

import (
	"bytes"
	"io"
	"net"
	"net/netip"
	"runtime"
	"sync"
	"testing"

	"voicepool/cmd/internal/show/osc"
	"voicepool/cue"
)

// FuzzServer sends arbitrary bytes over TCP and UDP. The server must keep answering, drop disconnected clients,
// and not grow in memory.
func FuzzServer(f *testing.F) {
	message := func(address string, args ...any) []byte {
		return osc.Append(nil, &cue.Message{Address: address, Args: args})
	}
	for _, m := range [][]byte{
		message("/go"), message("/connect", "1234"), message("/updates", int32(1)), message("/cueLists"), message("/cue/1/valuesForKeys", keys),
		message("/voicepool/main/play", "coin", "gain", float32(-3)), message("/voicepool/main/bus/music/gain", float32(-3)), message("/voicepool/main/set", "x", "seek", "1s"),
		message("/cue/active/children"), message("/workspace/main/cue_id/0/start"), message("/playheadID/none"), message("/panicInTime", float32(-1)), message("/cue/selected/loadAt", 1e300),
		osc.AppendBundle(nil, message("/stop"), message("/panic")),
	} {
		f.Add(osc.AppendFrame(nil, m))
		f.Add(m)
	}
	room := newFake(f, sheet)
	before := runtime.NumGoroutine()
	f.Fuzz(func(t *testing.T, data []byte) {
		s := New(one(room))
		network := &network{in: make(chan datagram)}
		s.udp = network
		near, far := net.Pipe()
		s.serveConn(near)
		var read sync.WaitGroup
		read.Go(func() { _, _ = io.Copy(io.Discard, far) })
		if _, err := far.Write(data); err != nil {
			t.Fatal(err)
		}
		if _, err := far.Write(osc.AppendFrame([]byte{0xC0}, message("/voicepool/main/panic"))); err != nil {
			t.Fatal(err)
		}
		far.Close()
		c := s.peer(netip.MustParseAddrPort("203.0.113.5:9"))
		c.budget = osc.MaxPacket
		s.read(c, bytes.Clone(data))
		size, _ := network.sent()
		if size > osc.MaxPacket {
			t.Errorf("%d bytes are answered with %d", len(data), size)
		}
		s.mutex.Lock()
		kept := len(s.peers)
		s.mutex.Unlock()
		if kept > 1 {
			t.Errorf("%d peers are kept", kept)
		}
		s.mutex.Lock()
		s.udp = nil
		s.mutex.Unlock()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		read.Wait()
		if n := s.counters.Clients.Load(); n > int64(kept) || s.counters.Messages.Load()+s.counters.Malformed.Load() == 0 {
			t.Errorf("%d clients are left, %d messages", n, s.counters.Messages.Load())
		}
		room.take()
		if now := runtime.NumGoroutine(); now > before+100 {
			t.Errorf("%d goroutines, %d before", now, before)
		}
	})
}

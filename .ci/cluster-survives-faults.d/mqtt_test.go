package cluster

import (
	"bufio"
	"io"
	"net"
	"testing"
	"time"
)

// mqtt is a minimal client of MQTT 3.1.1, as in a small device.
type mqtt struct {
	t    *testing.T
	conn net.Conn
	in   *bufio.Reader
}

// dialMQTT connects to a server with MQTT.
func dialMQTT(t *testing.T, address string) *mqtt {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
	m := &mqtt{t, conn, bufio.NewReader(conn)}
	m.send(0x10, "\x00\x04MQTT\x04\x02\x00\x3c"+text("lamp")) // a clean session, 60 s
	if kind, body := m.receive(); kind != 0x20 || body[1] != 0 {
		t.Fatalf("MQTT: %x %x", kind, body)
	}
	return m
}

// text encodes a string for MQTT.
func text(s string) string { return string([]byte{byte(len(s) >> 8), byte(len(s))}) + s }

// send sends a packet.
func (m *mqtt) send(kind byte, body string) {
	m.t.Helper()
	packet := []byte{kind}
	for n := len(body); ; {
		if packet = append(packet, byte(n&0x7f)); n < 0x80 {
			break
		}
		packet[len(packet)-1] |= 0x80
		n >>= 7
	}
	if _, err := m.conn.Write(append(packet, body...)); err != nil {
		m.t.Fatal(err)
	}
}

// receive returns the next packet.
func (m *mqtt) receive() (kind byte, body []byte) {
	m.t.Helper()
	kind, err := m.in.ReadByte()
	length := 0
	for shift := 0; err == nil; shift += 7 {
		var b byte
		b, err = m.in.ReadByte()
		if length |= int(b&0x7f) << shift; b < 0x80 {
			break
		}
	}
	body = make([]byte, length)
	if err == nil {
		_, err = io.ReadFull(m.in, body)
	}
	if err != nil {
		m.t.Fatal(err)
	}
	return kind, body
}

func (m *mqtt) subscribe(topic string) {
	m.t.Helper()
	m.send(0x82, "\x00\x01"+text(topic)+"\x00")
	if kind, body := m.receive(); kind != 0x90 || body[2] != 0 {
		m.t.Fatalf("MQTT: %x %x", kind, body)
	}
}

func (m *mqtt) publish(topic, message string) { m.t.Helper(); m.send(0x30, text(topic)+message) }

// message returns the next message on the subscribed topics.
func (m *mqtt) message() string {
	m.t.Helper()
	kind, body := m.receive()
	if kind != 0x30 {
		m.t.Fatalf("MQTT: %x %x", kind, body)
	}
	return string(body[2+int(body[0])<<8+int(body[1]):])
}

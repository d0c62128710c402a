//go:build unix

package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// certify writes a self-signed certificate of 127.0.0.1 and its key.
func certify(t *testing.T, cert, key string, number int64) *x509.Certificate {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{
		SerialNumber: big.NewInt(number), Subject: pkix.Name{CommonName: "voicepool"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	write(t, cert, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})))
	write(t, key, string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})))
	if c, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	return c
}

// trusting returns a client that trusts only the given certificates.
func trusting(t *testing.T, all ...*x509.Certificate) *http.Client {
	pool := x509.NewCertPool()
	for _, c := range all {
		pool.AddCert(c)
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, DisableKeepAlives: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: hangs}
}

// TestServeTLS checks that --cert and --key serve everything under TLS, including WebSockets and
// the commands. SIGHUP reloads the certificate without closing connections, and keeps the old one
// if the new one cannot be read.
func TestServeTLS(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	cert, key := filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem")
	first := certify(t, cert, key, 1)
	s := startServer(t, nil, "--device", "none", "--cert", cert, "--key", key)
	if !strings.HasPrefix(s.url, "https://127.0.0.1:") {
		t.Fatalf("the board is at %s", s.url)
	}
	client := trusting(t, first)
	answer, err := client.Post(s.url+"/v1/rooms/main/play", "application/json", strings.NewReader(`{"sound":"theme","loop":true}`))
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusCreated || answer.TLS.Version < tls.VersionTLS12 {
		t.Errorf("a play is answered %d, over version %x", answer.StatusCode, answer.TLS.Version)
	}
	if _, err := trusting(t).Get(s.url + "/healthz"); err == nil {
		t.Error("who does not trust the certificate is answered")
	}
	plain, err := http.Get("http" + strings.TrimPrefix(s.url, "https") + "/v1/rooms")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, plain.Body); err != nil {
		t.Error(err)
	}
	if plain.Body.Close(); plain.StatusCode != http.StatusBadRequest {
		t.Errorf("plain HTTP is answered %d", plain.StatusCode)
	}

	ctx, cancel := context.WithTimeout(t.Context(), hangs)
	defer cancel()
	socket, _, err := websocket.Dial(ctx, "wss"+strings.TrimPrefix(s.url, "https")+"/v1/rooms/main/ws", &websocket.DialOptions{HTTPClient: client})
	if err != nil {
		t.Fatal(err)
	}
	defer socket.CloseNow()
	socket.SetReadLimit(1 << 20)
	hears := func(ref string) {
		t.Helper()
		if err := socket.Write(ctx, websocket.MessageText, []byte(`{"ref":"`+ref+`","do":"play","with":{"sound":"bell"}}`)); err != nil {
			t.Fatal(err)
		}
		for {
			_, text, err := socket.Read(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(text), `"ref":"`+ref+`"`) {
				if !strings.Contains(string(text), `"status":201`) {
					t.Errorf("%s", text)
				}
				return
			}
		}
	}
	hears("before")

	if runtime.GOOS == "linux" { // macOS uses its keychain
		for trusted, want := range map[string]string{cert: `"voice"`, filepath.Join(folder, "none"): "certificate"} {
			command := exec.Command("voicepool", "play", "--to", s.url, "bell")
			command.Env = append(os.Environ(), "SSL_CERT_FILE="+trusted, "SSL_CERT_DIR="+folder+"/none", "GORACE=atexit_sleep_ms=0")
			if text, err := command.CombinedOutput(); !strings.Contains(string(text), want) {
				t.Errorf("with SSL_CERT_FILE=%s a play says %q, %v; want %s in it", trusted, text, err, want)
			}
		}
	}

	second := certify(t, cert, key, 2)
	client = trusting(t, first, second)
	number := func() int64 {
		answer, err := client.Get(s.url + "/healthz")
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		return answer.TLS.PeerCertificates[0].SerialNumber.Int64()
	}
	if n := number(); n != 1 {
		t.Errorf("without SIGHUP the certificate is %d", n)
	}
	hangUp := func() {
		if err := s.command.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
	}
	hangUp()
	s.until("the second certificate", func() bool { return number() == 2 })
	hears("after")
	write(t, cert, "nothing")
	hangUp()
	s.until("a word on the broken certificate", func() bool {
		return strings.Contains(s.log(), "not reloaded, the old configuration stays in use: --cert")
	})
	if n := number(); n != 2 {
		t.Errorf("with a broken file the certificate is %d", n)
	}
	if code, _ := s.end(syscall.SIGTERM); code != 0 {
		t.Errorf("it ends with %d: %s", code, s.log())
	}
}

package service_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// BenchmarkPlay measures a play over loopback, including the client.
func BenchmarkPlay(b *testing.B) {
	s := open(b)
	client := s.web.Client()
	for b.Loop() {
		w, err := client.Post(s.web.URL+"/v1/rooms/main/play", "application/json", strings.NewReader(`{"sound":"bell","gain":-6}`))
		if err != nil {
			b.Fatal(err)
		}
		if w.StatusCode != http.StatusCreated && w.StatusCode != http.StatusConflict {
			b.Fatal(w.Status)
		}
		_, _ = io.Copy(io.Discard, w.Body)
		w.Body.Close()
	}
}

// nobody is a ResponseWriter that discards its input.
type nobody struct{ header http.Header }

func (n nobody) Header() http.Header         { return n.header }
func (n nobody) Write(b []byte) (int, error) { return len(b), nil }
func (n nobody) WriteHeader(int)             {}

// BenchmarkHandler measures a play without the network.
func BenchmarkHandler(b *testing.B) {
	s := open(b)
	for b.Loop() {
		r, err := http.NewRequest(http.MethodPost, "/v1/rooms/main/play", strings.NewReader(`{"sound":"bell","gain":-6}`))
		if err != nil {
			b.Fatal(err)
		}
		s.ServeHTTP(nobody{http.Header{}}, r)
	}
}

package cluster

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// Call sends an HTTP request to a node, from inside a namespace or, if s is nil, from the machine itself. It
// returns the status and the body, or 0 and the error if the request failed.
func Call(t testing.TB, s *Space, method, url, body string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	answer, err := s.Client().Do(r)
	if err != nil {
		return 0, err.Error()
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return 0, err.Error()
	}
	return answer.StatusCode, string(text)
}

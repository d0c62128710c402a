package remote

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"voicepool/internal/leak"
)

func TestMain(m *testing.M) { leak.Main(m) }

// server returns a client of a server with a fixed answer, and the list of its requests.
func server(t *testing.T, status int, answer string) (*Client, *[]string) {
	asked := new([]string)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		*asked = append(*asked, strings.TrimSpace(r.Method+" "+r.URL.RequestURI()+" "+string(body)))
		w.WriteHeader(status)
		io.WriteString(w, answer)
	}))
	t.Cleanup(s.Close)
	c, err := New(s.URL+"/hall%202", "secret", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.connection.(*webConnection).http.CloseIdleConnections)
	return c, asked
}

// TestWords checks the request of each command.
func TestWords(t *testing.T) {
	const state, ask = `{"buses":[{"bus":"sfx"},{"bus":"17"}]}`, "GET /v1/rooms/hall%202/state; "
	for _, x := range []struct{ words, want string }{
		{"go", "POST go {}"},
		{"go 2.5", `POST go {"cue":"2.5"}`},
		{"standby 3", `POST standby {"cue":"3"}`},
		{"next", `POST standby {"step":1}`},
		{"back", `POST standby {"step":-1}`},
		{"panic", "POST panic {}"},
		{"stop", "POST stop {}"},
		{"stop 2s", `POST stop {"over":"2s"}`},
		{"stop all", `POST stop {"target":"all"}`},
		{"stop all 500ms", `POST stop {"over":"500ms","target":"all"}`},
		{"stop 17", "DELETE voices/17"},
		{"stop 17 2", "DELETE voices/17?over=2"},
		{"stop a/b 1s", "DELETE voices/a%2Fb?over=1s"},
		{"pause", `POST pause {"on":true}`},
		{"resume", `POST pause {"on":false}`},
		{"pause bell", `PATCH voices/bell {"pause":true}`},
		{"resume bell", `PATCH voices/bell {"pause":false}`},
		{"mute sfx", `PATCH buses/sfx {"mute":true}`},
		{"unmute sfx", `PATCH buses/sfx {"mute":false}`},
		{"play bell", `POST play {"sound":"bell"}`},
		{"play bell gain=-3 loop=true id=7 at=1.5s", `POST play {"at":"1.5s","gain":-3,"id":"7","loop":true,"sound":"bell"}`},
		{"set sfx gain=-6 over=1s", ask + `PATCH buses/sfx {"gain":-6,"over":"1s"}`},
		{"set 17 gain=-6", ask + `PATCH buses/17 {"gain":-6}`},
		{"set 18 pan=0.5", ask + `PATCH voices/18 {"pan":0.5}`},
		{"fade sfx to=-60 over=3", ask + `PATCH buses/sfx {"gain":-60,"over":3}`},
		{"release hum", `PATCH voices/hum {"loop":false}`},
		{"seek hum to=3s", `PATCH voices/hum {"seek":"3s"}`},
		{"seek hum 3s", `PATCH voices/hum {"seek":"3s"}`},
		{"scene calm", `POST scene {"scene":"calm"}`},
		{"scene calm over=2s", `POST scene {"over":"2s","scene":"calm"}`},
		{"state", "GET state"},
	} {
		c, asked := server(t, http.StatusOK, state)
		answer, err := c.Run(t.Context(), strings.Fields(x.words)...)
		if err != nil || string(answer) != state {
			t.Errorf("%s: %s, %v", x.words, answer, err)
		}
		got := strings.Join(*asked, "; ")
		want := strings.ReplaceAll(x.want, "POST ", "POST /v1/rooms/hall%202/")
		for _, method := range []string{"PATCH", "DELETE"} {
			want = strings.ReplaceAll(want, method+" ", method+" /v1/rooms/hall%202/")
		}
		if x.want == "GET state" {
			want = strings.TrimSuffix(ask, "; ")
		}
		if got != want {
			t.Errorf("%s asked for\n%s, want\n%s", x.words, got, want)
		}
	}
}

// TestWrongWords checks that an invalid command is rejected without a request.
func TestWrongWords(t *testing.T) {
	for words, want := range map[string]string{
		"":                     "no command: a command is missing, such as: go",
		"goo":                  `no command: unknown command "goo"; did you mean "go"?`,
		"standby":              "no command: standby: write standby CUE",
		"panic now":            "no command: panic: write panic",
		"play":                 "no command: play: write play SOUND [KEY=VALUE ...]",
		"play bell loud":       `no command: play: "loud" is not KEY=VALUE, such as gain=-3`,
		"play bell pan=1 pan=": "no command: play: pan is given twice",
		"set sfx":              "no command: set: write set ID|BUS KEY=VALUE ...",
	} {
		c, asked := server(t, http.StatusOK, "{}")
		_, err := c.Run(t.Context(), strings.Fields(words)...)
		if !errors.Is(err, ErrCommand) || !strings.HasPrefix(err.Error(), want) || len(*asked) > 0 {
			t.Errorf("%q: %v, want %s; asked for %q", words, err, want, *asked)
		}
	}
}

// TestRefusals checks that the server's sentence is the error, and that answers of other programs
// are recognized.
func TestRefusals(t *testing.T) {
	for _, x := range []struct {
		status       int
		answer, want string
	}{
		{404, `{"title":"Not Found","detail":"no sound is called bel; the nearest is bell"}`, "no sound is called bel; the nearest is bell"},
		{409, `{"title":"Conflict"}`, "Conflict"},
		{401, `{"detail":"a token is missing"}`, "a token is missing; give a token by VOICEPOOL_TOKEN"},
		{500, `<html>`, "the server answers 500 Internal Server Error"},
		{302, ``, "the server answers 302 Found"},
	} {
		c, _ := server(t, x.status, x.answer)
		_, err := c.Run(t.Context(), "go")
		if refused, is := errors.AsType[*Refusal](err); !is || refused.Status != x.status || err.Error() != x.want {
			t.Errorf("%d: %v, want %s", x.status, err, x.want)
		}
	}
	c, _ := server(t, http.StatusOK, "[1]")
	if _, err := c.Run(t.Context(), "set", "sfx", "gain=1"); err == nil || !strings.Contains(err.Error(), "not from a voicepool server") {
		t.Errorf("an answer that is no state: %v", err)
	}
}

// TestAddress checks the room of addresses, and invalid addresses.
func TestAddress(t *testing.T) {
	for address, want := range map[string]string{
		"http://h:1":              "http://h:1/v1/rooms/main",
		"http://h:1/":             "http://h:1/v1/rooms/main",
		"https://h/hall":          "https://h/v1/rooms/hall",
		"https://h/v1/rooms/hall": "https://h/v1/rooms/hall",
		"http://h/hall%202":       "http://h/v1/rooms/hall%202",
		"http://[::1]:7700/hall":  "http://[::1]:7700/v1/rooms/hall",
		"h:7700":                  "",
		"ftp://h":                 "",
		"http://":                 "",
		"http://h/a/b":            "",
		"http://h/a?b":            "",
		"http://user:secret@h/a":  "",
		"http://h/a#b":            "",
		"://":                     "",
	} {
		c, err := New(address, "", "")
		if (err == nil) != (want != "") || err == nil && c.connection.(*webConnection).base.String() != want {
			t.Errorf("%s: %v, %v, want %q", address, c, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "secret") && !strings.Contains(address, "secret") {
			t.Error(err)
		}
	}
}

package webauth_test

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"voicepool/cmd/internal/serve/webauth"
	"voicepool/internal/longtest"
)

// keeper holds the stored sessions between two guards, like a folder.
type keeper struct{ text []byte }

// start returns a guard with the restored sessions.
func (k *keeper) start(t *testing.T, tokenLines string) *webauth.Guard {
	t.Helper()
	o := webauth.Options{}
	if tokenLines != "" {
		o.Tokens = tokens(t, tokenLines)
	}
	g := webauth.New(o)
	if err := g.Restore(k.text, func(text []byte) { k.text = text }); err != nil {
		t.Fatal(err)
	}
	return g
}

// link requests a login link with a cookie or a token, follows it, and returns the session's
// cookie.
func link(t *testing.T, g *webauth.Guard, body string, values ...string) string {
	t.Helper()
	w := ask(g, "POST", "/v1/login-links", func(r *http.Request) {
		header(append(values, "Origin", "http://localhost:7700")...)(r)
		r.Body = io.NopCloser(strings.NewReader(body))
	})
	var answer struct{ URL string }
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || w.Code != 201 {
		t.Fatalf("the link is answered with %d %s", w.Code, w.Body)
	}
	u, err := url.Parse(answer.URL)
	if err != nil {
		t.Fatal(err)
	}
	return cookie(t, ask(g, "GET", u.RequestURI(), nil))
}

func logout(g *webauth.Guard, session string) {
	ask(g, "POST", "/logout", header("Cookie", session, "Origin", "http://localhost:7700"))
}

// TestSessionsSurvive checks that sessions of tokens and links survive a restart with their
// original expiry. The stored text has neither a cookie nor a token.
func TestSessionsSurvive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := &keeper{}
		g := k.start(t, tokenFile)
		sessions := map[string]string{
			cookie(t, ask(g, "POST", "/login", form(stage))):                                                             "operator none",
			cookie(t, ask(g, "POST", "/login", form(boss))):                                                              "admin admin",
			cookie(t, ask(g, "GET", g.Invite(webauth.Admin, ""), nil)):                                                   "admin admin",
			link(t, g, `{"role":"read-only","room":"main"}`, "Authorization", "Bearer "+boss):                            "read-only none",
			link(t, g, `{"role":"operator"}`, "Cookie", cookie(t, ask(g, "GET", g.Invite(webauth.Admin, ""), nil))):      "operator operator",
			link(t, g, `{"role":"operator"}`, "Cookie", link(t, g, `{"role":"admin"}`, "Authorization", "Bearer "+boss)): "operator operator",
		}
		ended := cookie(t, ask(g, "POST", "/login", form(viewer)))
		logout(g, ended)
		for restart := range 3 {
			for session, want := range sessions {
				if got := may(g, session); got != want {
					t.Errorf("after %d restarts a session is %s, want %s", restart, got, want)
				}
				if _, secret, _ := strings.Cut(session, "="); strings.Contains(string(k.text), secret) {
					t.Error("the text has a cookie")
				}
			}
			if got := may(g, ended); got != "401" {
				t.Errorf("after %d restarts a session that was logged out is %s", restart, got)
			}
			g.Close()
			time.Sleep(9 * 24 * time.Hour)
			g = k.start(t, tokenFile)
		}
		for _, token := range []string{stage, boss, viewer} {
			if strings.Contains(string(k.text), token) {
				t.Error("the text has a token")
			}
		}
		time.Sleep(3*24*time.Hour - time.Second)
		for session, want := range sessions {
			if got := may(g, session); got != want {
				t.Errorf("before its end a session is %s, want %s", got, want)
			}
		}
		g.Close()
		time.Sleep(2 * time.Second)
		g = k.start(t, tokenFile)
		defer g.Close()
		for session := range sessions {
			if got := may(g, session); got != "401" {
				t.Errorf("after 30 days and a restart a session is %s", got)
			}
		}
		if n := g.Counts().Sessions; n != 0 {
			t.Errorf("%d sessions are counted, want none", n)
		}
	})
}

// TestSessionsOfAToken checks that a session ends when its token is removed or changed, even while
// the server is down, and does not return with the token.
func TestSessionsOfAToken(t *testing.T) {
	const rest = "read-only " + viewer + "\n"
	for name, lines := range map[string]string{
		"removed":     rest,
		"other role":  rest + "admin " + stage + " main\n",
		"more rooms":  rest + "operator " + stage + " main,foyer\n",
		"all rooms":   rest + "operator " + stage + "\n",
		"no file":     "",
		"other token": rest + "operator " + stage + "x main\n",
	} {
		for _, running := range []bool{false, true} {
			t.Run(fmt.Sprint(name, ", running ", running), func(t *testing.T) {
				const before = rest + "operator " + stage + " main\n"
				k := &keeper{}
				g := k.start(t, before)
				session, other := cookie(t, ask(g, "POST", "/login", form(stage))), cookie(t, ask(g, "POST", "/login", form(viewer)))
				if running {
					o := webauth.Options{}
					if lines != "" {
						o.Tokens = tokens(t, lines)
					}
					g.Change(o)
				} else {
					g.Close()
					g = k.start(t, lines)
				}
				if got := may(g, session); got == "operator none" {
					t.Error("the session goes on")
				}
				if got := may(g, other); lines != "" && got != "read-only read-only" {
					t.Errorf("the session of the other token is %s", got)
				}
				for range 2 {
					g.Close()
					g = k.start(t, before)
					if got := may(g, session); got != "401" {
						t.Errorf("when the token is back, the session is %s", got)
					}
				}
				g.Close()
			})
		}
	}
}

// TestSessionsWithoutTokens checks that links and sessions made without tokens end when tokens are
// added, even while the server is down, and do not return. Until then they survive restarts and
// changes.
func TestSessionsWithoutTokens(t *testing.T) {
	local := func(r *http.Request) {
		r.RemoteAddr = "127.0.0.1:1234"
		header("Origin", "http://localhost:7700")(r)
		r.Body = io.NopCloser(strings.NewReader(`{"role":"admin"}`))
	}
	for _, running := range []bool{false, true} {
		t.Run(fmt.Sprint("running ", running), func(t *testing.T) {
			k := &keeper{}
			g := k.start(t, "")
			defer func() { g.Close() }()
			links := make([]string, 2)
			for i := range links {
				w := ask(g, "POST", "/v1/login-links", local)
				var answer struct{ URL string }
				if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || w.Code != 201 {
					t.Fatalf("the link is answered with %d %s", w.Code, w.Body)
				}
				links[i] = strings.TrimPrefix(answer.URL, "http://localhost:7700")
			}
			first := cookie(t, ask(g, "GET", links[0], nil))
			all := []string{first, link(t, g, `{"role":"admin"}`, "Cookie", first), cookie(t, ask(g, "GET", g.Invite(webauth.Admin, ""), nil))}
			change := func(lines string) {
				o := webauth.Options{}
				if lines != "" {
					o.Tokens = tokens(t, lines)
				}
				if running {
					g.Change(o)
					return
				}
				g.Close()
				g = k.start(t, lines)
			}
			want := func(when, want string) {
				t.Helper()
				for i, session := range all {
					if got := may(g, session); got != want {
						t.Errorf("%s, session %d is %s, want %s", when, i, got, want)
					}
				}
			}
			want("without tokens", "admin admin")
			change("")
			want("still without tokens", "admin admin")
			change(tokenFile)
			want("with tokens", "401")
			if w := ask(g, "GET", links[1], nil); w.Code != 403 {
				t.Errorf("with tokens, a link from before is answered with %d, want 403", w.Code)
			}
			if n := g.Counts().Sessions; n != 0 {
				t.Errorf("%d sessions are counted, want none", n)
			}
			own := cookie(t, ask(g, "GET", g.Invite(webauth.Admin, ""), nil))
			g.Close()
			g = k.start(t, tokenFile)
			want("with tokens and restarted", "401")
			if got := may(g, own); got != "admin admin" {
				t.Errorf("a session of the server's own link is %s after a restart with tokens", got)
			}
			change("")
			for i, session := range all {
				if got := may(g, session); got == "admin admin" {
					t.Errorf("without tokens again, session %d has come back", i)
				}
			}
		})
	}
}

// TestRandomSessions checks random logins, logouts, links, token changes and restarts against a
// guard that never restarts.
func TestRandomSessions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lines := []string{"operator " + stage + " main\n", "admin " + boss + "\n", "read-only " + viewer + "\n", "admin " + stage + "\n"}
		files := []string{tokenFile, lines[0] + lines[1], lines[1] + lines[2], lines[2] + lines[3]}
		for seed := range uint64(longtest.Amount(15, 40)) {
			random := rand.New(rand.NewPCG(seed, 1))
			twin, k := webauth.New(webauth.Options{Tokens: tokens(t, files[0])}), &keeper{}
			g := k.start(t, files[0])
			file, all := 0, [][2]string{}
			both := func(do func(g *webauth.Guard, which int) string) {
				all = append(all, [2]string{do(twin, 0), do(g, 1)})
			}
			for range 25 {
				switch random.IntN(6) {
				case 0:
					token := []string{stage, boss, viewer}[random.IntN(3)]
					if strings.Contains(files[file], token) {
						both(func(g *webauth.Guard, _ int) string { return cookie(t, ask(g, "POST", "/login", form(token))) })
					}
				case 1:
					both(func(g *webauth.Guard, _ int) string {
						return cookie(t, ask(g, "GET", g.Invite(webauth.Admin, ""), nil))
					})
				case 2:
					if len(all) > 0 {
						if from := all[random.IntN(len(all))]; may(twin, from[0]) == "admin admin" {
							both(func(g *webauth.Guard, which int) string {
								return link(t, g, `{"role":"operator","room":"main"}`, "Cookie", from[which])
							})
						}
					}
				case 3:
					if len(all) > 0 {
						one := all[random.IntN(len(all))]
						logout(twin, one[0])
						logout(g, one[1])
					}
				case 4:
					file = random.IntN(len(files))
					twin.Change(webauth.Options{Tokens: tokens(t, files[file])})
					g.Change(webauth.Options{Tokens: tokens(t, files[file])})
				case 5:
					g.Close()
					time.Sleep(time.Duration(random.IntN(6)) * 24 * time.Hour)
					synctest.Wait()
					g = k.start(t, files[file])
				}
				for i, one := range all {
					if a, b := may(twin, one[0]), may(g, one[1]); a != b {
						t.Fatalf("seed %d: session %d is %s, and %s after restarts", seed, i, a, b)
					}
				}
			}
			twin.Close()
			g.Close()
		}
	})
}

// TestRestoreFaulty checks that an invalid text is rejected and changes nothing.
func TestRestoreFaulty(t *testing.T) {
	k := &keeper{}
	g := k.start(t, tokenFile)
	session := cookie(t, ask(g, "POST", "/login", form(stage)))
	g.Close()
	whole := string(k.text)
	texts := []string{"x", "{}", "[]", "null", strings.Replace(whole, `"version": 1`, `"version": 2`, 1)}
	for i := 1; i < len(whole)-2; i++ {
		texts = append(texts, whole[:i])
	}
	for _, text := range texts {
		g := webauth.New(webauth.Options{Tokens: tokens(t, tokenFile)})
		if err := g.Restore([]byte(text), func([]byte) { t.Error("it keeps something") }); err == nil {
			t.Errorf("%q is restored", text)
		}
		g.Close()
	}
	// A damaged field drops only its own session.
	for _, change := range [][2]string{{`"role": "operator"`, `"role": "king"`}, {`"under": "`, `"under": "AAAA`}, {`"cookie": "`, `"cookie": "AAAA`}} {
		k := &keeper{[]byte(strings.Replace(whole, change[0], change[1], 1))}
		g := k.start(t, tokenFile)
		if got := may(g, session); got != "401" {
			t.Errorf("with %s the session is %s", change[1], got)
		}
		g.Close()
	}
	// A time too far in the future, as from a wrong clock, becomes 30 days.
	synctest.Test(t, func(t *testing.T) {
		k := &keeper{[]byte(strings.Replace(whole, `"until": "2`, `"until": "9`, 1))}
		g := k.start(t, tokenFile)
		defer g.Close()
		time.Sleep(30*24*time.Hour - time.Second)
		if got := may(g, session); got != "operator none" {
			t.Errorf("before 30 days the session is %s", got)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if got := may(g, session); got != "401" {
			t.Errorf("after 30 days the session is %s", got)
		}
	})
}

// TestManySessionsSurvive checks that a restart restores the maximum number of sessions in linear
// time, and after a lower limit the newest ones.
func TestManySessionsSurvive(t *testing.T) {
	type session struct {
		Cookie []byte    `json:"cookie"`
		Until  time.Time `json:"until"`
		Role   string    `json:"role"`
		Name   string    `json:"name"`
	}
	kept := struct {
		Version  int       `json:"version"`
		Salt     []byte    `json:"salt"`
		Sessions []session `json:"sessions"`
	}{Version: 1, Salt: make([]byte, 32)}
	const many = 20_000
	for i := range many {
		cookie := make([]byte, 32)
		binary.BigEndian.PutUint32(cookie, uint32(i+1))
		kept.Sessions = append(kept.Sessions, session{cookie, time.Now().Add(time.Hour), "admin", fmt.Sprint(i)})
	}
	text, err := json.Marshal(kept)
	if err != nil {
		t.Fatal(err)
	}
	for _, most := range []int{many, 100} {
		g := webauth.New(webauth.Options{Loopback: true, Limits: webauth.Limits{Sessions: most}})
		var last []byte
		if err := g.Restore(text, func(text []byte) { last = text }); err != nil {
			t.Fatal(err)
		}
		if n := g.Counts().Sessions; n != most {
			t.Errorf("%d sessions are restored, want %d", n, most)
		}
		kept.Sessions = nil
		if err := json.Unmarshal(last, &kept); err != nil || len(kept.Sessions) != most || kept.Sessions[0].Name != fmt.Sprint(many-most) {
			t.Errorf("%d sessions are kept, %v; want the newest %d", len(kept.Sessions), err, most)
		}
		g.Close()
	}
}

// TestSessionsOfAWrongClock checks that a session stored with a clock in the future lasts no longer
// than a new one.
func TestSessionsOfAWrongClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := &keeper{}
		g := k.start(t, tokenFile)
		cookie(t, ask(g, "POST", "/login", form(stage)))
		g.Close()
		type session struct{ Until time.Time }
		var before, after struct{ Sessions []session }
		if err := json.Unmarshal(k.text, &before); err != nil || len(before.Sessions) != 1 {
			t.Fatalf("%s: %v", k.text, err)
		}
		until := before.Sessions[0].Until
		year := until.Add(365 * 24 * time.Hour)
		k.text = []byte(strings.Replace(string(k.text), until.Format(time.RFC3339Nano), year.Format(time.RFC3339Nano), 1))
		g = k.start(t, tokenFile)
		defer g.Close()
		if err := json.Unmarshal(k.text, &after); err != nil || len(after.Sessions) != 1 || !after.Sessions[0].Until.Equal(until) {
			t.Errorf("a session until %v is restored as %+v, %v; want until %v", year, after.Sessions, err, until)
		}
	})
}

// TestCloseKeepsSessions checks that calls during the shutdown do not store ended sessions.
func TestCloseKeepsSessions(t *testing.T) {
	k := &keeper{}
	g := k.start(t, tokenFile)
	session := cookie(t, ask(g, "POST", "/login", form(stage)))
	other := cookie(t, ask(g, "POST", "/login", form(boss)))
	kept := string(k.text)
	g.Close()
	logout(g, session)
	ask(g, "POST", "/login", form(stage))
	if string(k.text) != kept {
		t.Errorf("after Close the sessions are %s, want %s", k.text, kept)
	}
	g = k.start(t, tokenFile)
	defer g.Close()
	if got := may(g, other); got != "admin admin" {
		t.Errorf("after a restart the session is %s", got)
	}
}

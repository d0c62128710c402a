package webauth

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"

	"voicepool/internal/words"
)

const (
	minTokenLength = 16      // characters
	maxTokenLength = 512     // characters
	maxTokens      = 1000    // each is compared with every presented token
	maxTokenFile   = 1 << 20 // bytes of a token file
)

// token is a line of a token file. It holds only the hash of the token.
type token struct {
	sum        [sha256.Size]byte
	credential *credential
}

// Tokens are the tokens of a token file.
type Tokens struct{ list []*token }

// Len returns the number of tokens.
func (t *Tokens) Len() int { return len(t.list) }

// LoadTokens reads and parses the token file at path, a regular file or a pipe of at most 1 MiB. notes are warnings for
// the operator: that other users can read or change the file. They are returned even if the content is invalid.
func LoadTokens(path string) (t *Tokens, notes []string, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", words.OneLine(path), words.Cause(err))
	}
	defer file.Close()
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() && info.Mode().Type() != os.ModeNamedPipe {
		err = fmt.Errorf("%s: not a regular file", words.OneLine(path))
	}
	if err != nil {
		return nil, nil, err
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 && runtime.GOOS != "windows" {
		notes = append(notes, fmt.Sprintf("%s: others can read or change the tokens (mode %04o); chmod 600 keeps them out", words.OneLine(path), mode))
	}
	text, err := io.ReadAll(io.LimitReader(file, maxTokenFile+1))
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", words.OneLine(path), words.Cause(err))
	}
	t, err = ParseTokens(words.OneLine(path), text)
	return t, notes, err
}

// ParseTokens parses text, the content of a token file. Its lines have the form ROLE TOKEN [ROOM,ROOM...] [# NAME]. A
// text without tokens, with more than 1,000 tokens, or of more than 1 MiB, is an error. So is a token on two lines. An
// error begins with title, the name of the file. For a faulty line, the number of the line follows. An error never
// quotes text that may be a token.
func ParseTokens(title string, text []byte) (*Tokens, error) {
	if len(text) > maxTokenFile {
		return nil, fmt.Errorf("%s: is larger than 1 MiB", title)
	}
	t := &Tokens{}
	number := 0
	for line := range bytes.Lines(text) {
		number++
		one, err := parseToken(string(line), number)
		switch {
		case err != nil:
			return nil, fmt.Errorf("%s:%d: %w", title, number, err)
		case one == nil:
			continue
		case slices.ContainsFunc(t.list, func(other *token) bool { return other.sum == one.sum }):
			return nil, fmt.Errorf("%s:%d: an earlier line has the same token", title, number)
		case len(t.list) == maxTokens:
			return nil, fmt.Errorf("%s:%d: has more than %d tokens", title, number, maxTokens)
		}
		t.list = append(t.list, one)
	}
	if len(t.list) == 0 {
		return nil, fmt.Errorf("%s: has no token; write a line such as: operator %s", title, strings.Repeat("x", minTokenLength))
	}
	return t, nil
}

// parseToken parses one line of a token file. For an empty line or a comment it returns nil and a nil error. number is
// the number of the line, which becomes the name of a token without a name. The credential of the result is not active
// yet: it has neither an id nor an end. An error never quotes text that may be a token.
func parseToken(line string, number int) (*token, error) {
	fields := strings.Fields(line)
	name := fmt.Sprintf("line %d", number)
	if i := slices.IndexFunc(fields, func(f string) bool { return f[0] == '#' }); i >= 0 {
		if text := strings.TrimSpace(strings.TrimPrefix(strings.Join(fields[i:], " "), "#")); text != "" {
			name = words.OneLine(text)
		}
		fields = fields[:i]
	}
	if len(fields) == 0 {
		return nil, nil
	}
	if len(fields) == 1 {
		return nil, fmt.Errorf("a line has one word (want ROLE TOKEN [ROOM,ROOM...] [# NAME])")
	}
	role, err := ParseRole(fields[0])
	if err != nil {
		if len(fields[0]) >= minTokenLength { // it may be a token in the wrong place
			err = fmt.Errorf("a line begins with its role: read-only, operator or admin")
		}
		return nil, err
	}
	secret := fields[1]
	switch {
	case len(secret) < minTokenLength || len(secret) > maxTokenLength:
		return nil, fmt.Errorf("a token has %d to %d characters, this one has %d", minTokenLength, maxTokenLength, len(secret))
	case strings.ContainsFunc(secret, func(r rune) bool { return r < '!' || r > '~' }):
		return nil, fmt.Errorf("a token has a character other than ASCII letters, digits and signs")
	case len(fields) > 3:
		return nil, fmt.Errorf("after the token come its rooms, with commas and no spaces, and # before a name")
	}
	b := &credential{role: role, name: name}
	if len(fields) == 3 {
		b.rooms = strings.Split(fields[2], ",")
		if slices.Contains(b.rooms, "") {
			return nil, fmt.Errorf("a room in the list of rooms is empty")
		}
	}
	return &token{sha256.Sum256([]byte(secret)), b}, nil
}

// activate returns a copy of t with active credentials. They end with the context ended. salt is the key of their ids.
// old holds the earlier rules of the Guard; it may be nil. A token of old whose permissions are unchanged keeps its
// credential, so that its sessions continue.
func (t *Tokens) activate(ended context.Context, salt []byte, old *rules) *Tokens {
	out := &Tokens{}
	for _, one := range t.list {
		b := &credential{id: tokenID(salt, one), role: one.credential.role, rooms: one.credential.rooms, name: one.credential.name}
		if old != nil && old.Tokens != nil {
			for _, before := range old.Tokens.list {
				if before.credential.id == b.id {
					b = before.credential
				}
			}
		}
		if b.ended == nil {
			b.ended, b.end = context.WithCancel(ended)
		}
		out.list = append(out.list, &token{one.sum, b})
	}
	return out
}

// find returns the credential of the token whose text is secret. If the token is unknown, it returns nil. The time that
// find takes does not depend on the token's position or text, so that it reveals no tokens. Only a secret of more than
// 512 bytes is rejected at once.
func (t *Tokens) find(secret string) *credential {
	if len(secret) > maxTokenLength {
		return nil
	}
	sum := sha256.Sum256([]byte(secret))
	found := -1
	for i, one := range t.list {
		found = subtle.ConstantTimeSelect(subtle.ConstantTimeCompare(sum[:], one.sum[:]), i, found)
	}
	if found < 0 {
		return nil
	}
	return t.list[found].credential
}

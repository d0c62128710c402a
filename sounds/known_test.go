package sounds

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// TestUnread: what is known and not read is named, with one line that says what makes a sound
// of it.
func TestUnread(t *testing.T) {
	for _, u := range unread {
		data := append(bytes.Repeat([]byte{1}, u.at), u.magic...)
		data = append(data, make([]byte, 64)...)
		_, err := Decode(t.Context(), "x", bytes.NewReader(data), Limits{})
		if !errors.Is(err, ErrFormat) {
			t.Errorf("%s: %v", u.name, err)
			continue
		}
		text := err.Error()
		if !strings.Contains(text, u.name) || strings.Contains(text, "\n") {
			t.Errorf("%s: %q", u.name, text)
		}
		if u.ending != "" && !strings.HasSuffix(text, "; convert it: ffmpeg -i x."+u.ending+" x.flac") {
			t.Errorf("%s: %q does not say how to convert it", u.name, text)
		}
		if u.advice != "" && !strings.HasSuffix(text, "; render it: "+u.advice) {
			t.Errorf("%s: %q does not say how to render it", u.name, text)
		}
	}
}

package qlab

import (
	"crypto/sha256"
	"fmt"
)

// What QLab calls a cue list is that of a room, and a workspace is a room. Ids are made from names, so
// that a remote's buttons work after a restart, and on another machine.

func workspaceID(room string) string   { return id("workspace", room) }
func listID(room string) string        { return id("list", room) }
func cueID(room, number string) string { return id("cue", room, number) }

// root is what QLab calls the parent of all lists.
const root = "[root group of cue lists]"

// idLength is how long an id is.
const idLength = 36

// id returns a UUID of version 8 that is made from words.
func id(words ...string) string {
	hash := sha256.New()
	for _, w := range words {
		fmt.Fprintf(hash, "%d:%s", len(w), w)
	}
	b := hash.Sum(nil)[:16]
	b[6], b[8] = b[6]&0x0F|0x80, b[8]&0x3F|0x80
	return fmt.Sprintf("%X-%X-%X-%X-%X", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

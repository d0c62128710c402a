package qlab

import (
	"crypto/sha256"
	"fmt"
)

// A room is one workspace of QLab with one cue list. Ids are derived from names, so that the buttons of a
// remote work after a restart and on another machine.

// workspaceID returns the id of the workspace of a room, listID the id of its cue list, and cueID the id of the cue
// called number; see id.
func workspaceID(room string) string   { return id("workspace", room) }
func listID(room string) string        { return id("list", room) }
func cueID(room, number string) string { return id("cue", room, number) }

// root is QLab's name for the parent of all lists.
const root = "[root group of cue lists]"

// idLength is the length of an id.
const idLength = 36

// id returns a UUID that depends only on words and their order, because it is made from their SHA-256 hash. Equal words
// give equal ids on every machine. The UUID is of version 8, in upper case, with hyphens.
func id(words ...string) string {
	hash := sha256.New()
	for _, w := range words {
		fmt.Fprintf(hash, "%d:%s", len(w), w)
	}
	b := hash.Sum(nil)[:16]
	b[6], b[8] = b[6]&0x0F|0x80, b[8]&0x3F|0x80
	return fmt.Sprintf("%X-%X-%X-%X-%X", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

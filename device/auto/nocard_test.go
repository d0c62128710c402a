//go:build nooto

package auto

// noCard is what oto says in a program without it.
const noCard = "this program was built without sound (tag nooto)"

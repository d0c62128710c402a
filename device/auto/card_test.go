//go:build !nooto

package auto

// noCard is the error of oto without a sound card.
const noCard = "no sound card in /dev/snd"

// Package archtest checks the repository itself: imports, the exported API, the pages of docs, the size of a minimal
// game, and which side of the mixer may name what. Its option matrix combines every field of mixer.Config with every
// exported call of the mixer and the bank, which it finds by reflection.
package archtest

//go:build !unix

package doctor

// Usable returns nil: on this system, file permissions do not matter for sound.
func (localMachine) Usable(string) error { return nil }

// Owner returns "" twice: on this system, owners do not matter for sound.
func (localMachine) Owner(string) (owner, group string) { return "", "" }

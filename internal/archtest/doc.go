// Package archtest has tests of all packages together. Its option matrix combines every field of mixer.Config
// with every exported call of the mixer and the bank, which it finds by reflection.
package archtest

//go:build !js

package main

// tellPage has no effect without a web page.
func (g *game) tellPage() {}

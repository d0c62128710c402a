//go:build !js

package main

// tellPage does nothing: there is no web page.
func (g *game) tellPage() {}

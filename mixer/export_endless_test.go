package mixer

// LimitEndless sets the maximum number of virtual endless voices.
func LimitEndless(c *Config, n int) { c.maxVirtualEndless = n }

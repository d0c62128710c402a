//go:build nooto

package oto

// Open returns an error that wraps device.ErrUnavailable: this program was built without the driver.
func Open(c Config) (*Device, error) {
	if _, err := c.filled(); err != nil {
		return nil, err
	}
	return nil, unavailable("this program was built without sound (tag nooto)")
}

// probe returns one driver with Found false: the program was built without sound.
func probe() []Driver {
	return []Driver{{Name: "none", Detail: "built without sound (tag nooto)"}}
}

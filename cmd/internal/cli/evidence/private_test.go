package evidence

import "testing"

// TestPublic checks that names of people and their machines are hidden, and that names of devices stay.
func TestPublic(t *testing.T) {
	secrets := []string{"annas-laptop.home", "annas-laptop", "anna", "", "x"}
	for _, c := range []struct{ text, want string }{
		{"alsa_output.pci-0000_00_1f.3.analog-stereo", "alsa_output.pci-0000_00_1f.3.analog-stereo"},
		{"alsa_output.usb-C-Media_Electronics_Inc._USB_Audio_Device-00.analog-stereo", "alsa_output.usb-C-Media_Electronics_Inc._USB_Audio_Device-00.analog-stereo"},
		{"alsa_output.usb-Focusrite_Scarlett_2i2_USB_Y8ABC123-00", "alsa_output.usb-Focusrite_Scarlett_2i2_USB_#-00"},
		{"usb-Device_00000001-00", "usb-Device_#-00"},
		{"bluez_sink.38_18_4C_AA_01_FE.a2dp_sink", "bluez_sink.#.a2dp_sink"},
		{"bluez_output.38:18:4c:aa:01:fe.1", "bluez_output.#.1"},
		{"tunnel.music-box.local.alsa_output.analog", "tunnel.#"},
		{"raop_output.Living-Room.local.192.168.1.20.7000", "raop.#"},
		{"Annas-Laptop on annas-laptop.home by ANNA", "# on # by #"},
		{"no sound server at /run/user/1000/pulse/native", "no sound server at #"},
		{"no permission for /dev/snd/pcmC0D0p", "no permission for /dev/snd/pcmC0D0p"},
		{`C:\Users\anna\sound: not there`, "# not there"},
		{"the device took 120345 frames, want at least 216000", "the device took 120345 frames, want at least 216000"},
		{"48000 Hz/44100 Hz\nnext", "48000 Hz/44100 Hz next"},
	} {
		if got := public(c.text, secrets); got != c.want {
			t.Errorf("public(%q) = %q, want %q", c.text, got, c.want)
		}
	}
}

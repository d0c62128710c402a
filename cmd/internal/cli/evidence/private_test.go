package evidence

import (
	"os/user"
	"slices"
	"testing"
)

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
		{"dial tcp 192.168.1.20:4713: connect: connection refused", "dial tcp #: connect: connection refused"},
		{"dial tcp: lookup music-box on 10.0.0.2:53: no such host", "dial tcp: lookup # on #: no such host"},
		{"dial tcp: lookup music.home: no such host", "dial tcp: lookup #: no such host"},
		{"PULSE_SERVER=tcp:10.255.255.1 is not reachable", "PULSE_SERVER=tcp:# is not reachable"},
		{"dial tcp [fe80::1%eth0]:4713: connect", "dial tcp [#]:4713: connect"},
		{"no route to 2001:db8::20: at 12:30:45, pulse::Client", "no route to #: at 12:30:45, pulse::Client"},
		{"on ::1", "on #"},
		{"pulseaudio 16.1, PipeWire 1.0.5", "pulseaudio 16.1, PipeWire 1.0.5"},
		{"48000 Hz/44100 Hz\nnext", "48000 Hz/44100 Hz next"},
	} {
		if got := public(c.text, secrets); got != c.want {
			t.Errorf("public(%q) = %q, want %q", c.text, got, c.want)
		}
	}
}

// TestSecrets checks which parts of the names of users and sound servers are hidden.
func TestSecrets(t *testing.T) {
	names := userNames(&user.User{Username: `OFFICE\anna`, Name: "Anna de Vries"})
	if got, want := public(`anna of OFFICE: Vries' AirPods`, names), "# of #: #' AirPods"; got != want {
		t.Errorf("public = %q, want %q", got, want)
	}
	hosts := serverHosts("{laptop}unix:/run/pulse tcp:music.home:4713 tcp6:[::1]:4713 /run/x box 10.0.0.2")
	if want := []string{"laptop", "music.home", "music", "::1", "box", "10.0.0.2"}; !slices.Equal(hosts, want) {
		t.Errorf("serverHosts = %q, want %q", hosts, want)
	}
}

package reach

import (
	"net/netip"
	"testing"
)

func TestOf(t *testing.T) {
	for text, want := range map[string]Kind{
		"93.184.216.34": Public, "2606:2800:220:1::1": Public, "64:ff9b::5db8:d822": Public, "::ffff:93.184.216.34": Public,
		"127.0.0.1": Loopback, "127.9.9.9": Loopback, "::1": Loopback, "::ffff:127.0.0.1": Loopback, "64:ff9b::7f00:1": Loopback,
		"2002:7f00:1::": Loopback, "::127.0.0.1": Loopback,
		"10.0.0.1": Private, "172.16.0.1": Private, "192.168.0.1": Private, "fd00::1": Private, "100.64.0.1": Private, "64:ff9b::a00:1": Private,
		"169.254.169.254": LinkLocal, "fe80::1%eth0": LinkLocal, "64:ff9b::a9fe:a9fe": LinkLocal,
		"0.0.0.0": Reserved, "0.1.2.3": Reserved, "::": Reserved, "224.0.0.1": Reserved, "ff02::1": Reserved, "255.255.255.255": Reserved,
		"198.18.0.1": Reserved, "192.0.2.1": Reserved, "2001:db8::1": Reserved, "64:ff9b:1::1": Reserved,
		"2001:0:7f00:1::": Reserved, "fec0::1": Reserved, "100::1": Reserved, "192.88.99.1": Reserved, "::ffff:0:127.0.0.1": Reserved, "3fff::1": Reserved, "5f00::1": Reserved, "::1:0:0:0": Reserved,
		"2001:4860:4860::8888": Public,
	} {
		if got := Of(netip.MustParseAddr(text)); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

func TestIsLoopback(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "LOCALHOST": true, "localhost.": true, "127.0.0.1": true, "127.1.2.3": true, "::1": true, "[::1]": true,
		"::ffff:127.0.0.1": true,
		"":                 false, "localhost.example.com": false, "0.0.0.0": false, "10.0.0.1": false, "127.0.0.1.example.com": false,
	} {
		if got := IsLoopback(host); got != want {
			t.Errorf("%q: %t, want %t", host, got, want)
		}
	}
}

package wire

import (
	"net/netip"
	"strconv"
	"strings"
)

func isEmail(s string) bool {
	at := strings.LastIndexByte(s, '@')
	if at < 0 || at > 64 || len(s) > 254 {
		return false
	}
	return isMailbox(s[:at]) && isMailDomain(s[at+1:])
}

// isMailbox checks the part before the @, which may be quoted.
func isMailbox(s string) bool {
	if n := len(s); n > 1 && s[0] == '"' && s[n-1] == '"' {
		return !strings.ContainsAny(s[1:n-1], `\"`)
	}
	if strings.HasPrefix(s, ".") || strings.HasSuffix(s, ".") || strings.Contains(s, "..") {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !isLetter(c) && !isDigit(c) && strings.IndexByte(".!#$%&'*+-/=?^_`{|}~", c) < 0 {
			return false
		}
	}
	return true
}

// isMailDomain checks the part after the @: a host name, or an address in brackets.
func isMailDomain(s string) bool {
	if !strings.HasPrefix(s, "[") || !strings.HasSuffix(s, "]") {
		return isHostname(s)
	}
	s = s[1 : len(s)-1]
	if v6, ok := strings.CutPrefix(s, "IPv6:"); ok {
		return isIPv6(v6)
	}
	return isIPv4(s)
}

func isHostname(s string) bool {
	s = strings.TrimSuffix(s, ".")
	if len(s) > 253 {
		return false
	}
	for label := range strings.SplitSeq(s, ".") {
		if n := len(label); n < 1 || n > 63 || label[0] == '-' || label[n-1] == '-' {
			return false
		}
		for i := range len(label) {
			if c := label[i]; !isLetter(c) && !isDigit(c) && c != '-' {
				return false
			}
		}
	}
	return true
}

func isIPv4(s string) bool {
	n := 0
	for part := range strings.SplitSeq(s, ".") {
		n++
		v, err := strconv.Atoi(part)
		if err != nil || v < 0 || v > 255 || len(part) > 1 && part[0] == '0' {
			return false
		}
	}
	return n == 4
}

func isIPv6(s string) bool {
	addr, err := netip.ParseAddr(s)
	return err == nil && addr.Zone() == "" && strings.Contains(s, ":")
}

package outbound

import (
	"net/netip"
	"strings"
)

// CheckPublicForm is [Factory.CheckForm] for a purpose with PublicOnly: besides
// the form, https to port 443, and neither this machine nor an address written
// into the URL that is not public. What a name resolves to is checked at the dial.
func CheckPublicForm(raw string) error {
	t, err := parseURL(raw)
	if err != nil {
		return err
	}
	if a, err := netip.ParseAddr(t.host); err == nil {
		return (&Policy{PublicOnly: true}).check(t, a)
	}
	switch {
	case t.plain:
		return refuse(t, "only https can be reached")
	case t.host == "localhost" || strings.HasSuffix(t.host, ".localhost"):
		return refuse(t, "this machine can't be reached")
	case t.port != 443:
		return refuse(t, "only port 443 can be reached")
	}
	return nil
}

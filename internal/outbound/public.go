package outbound

import (
	"net/netip"
	"strings"
)

// CheckPublicForm is [Factory.CheckForm] for a purpose with PublicOnly. It requires https on port 443, and
// refuses this machine and literal addresses that are not public. The dial checks the addresses of a name.
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

package bitbucketcloud

import (
	"strings"
)

// validLogin reports whether a text can be a nickname, in which people may use blank space and letters of any script.
func validLogin(s string) bool {
	return s != "" && len(s) <= 200 && strings.TrimSpace(s) == s && !strings.ContainsAny(s, "/@\\\"") &&
		!strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f || r == 0xfffd })
}

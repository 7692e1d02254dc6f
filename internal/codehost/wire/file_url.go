package wire

import (
	"fmt"
	"net/url"
	"strings"
)

// FileURL returns the address of a file below root, which ends with a slash. It marks the lines first to
// last as GitHub and Gitea do, and adds the query plain for the plain form. If first is 0, it returns the
// address of the whole file. It escapes "@", so that hosts do not read a person's name in a path.
func FileURL(root, path, plain string, first, last int) string {
	segments := strings.Split(path, "/")
	for i, s := range segments {
		segments[i] = strings.ReplaceAll(url.PathEscape(s), "@", "%40")
	}
	out := root + strings.Join(segments, "/")
	switch {
	case first < 1:
		return out
	case last > first:
		return fmt.Sprintf("%s?%s#L%d-L%d", out, plain, first, last)
	}
	return fmt.Sprintf("%s?%s#L%d", out, plain, first)
}

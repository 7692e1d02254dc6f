package wire

import (
	"fmt"
	"net/url"
	"strings"
)

// FileURL is the address of a file below root, which ends with a slash: at the lines
// first to last, as GitHub and Gitea mark them, in the form that the query plain asks
// for; of the whole file where first is 0. An "@" is escaped, so that no host reads a
// person's name in a path.
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

package wire

import (
	"fmt"
	"net/url"
	"strings"
)

// FilePath escapes the path of a file for an address. It escapes "@", so that hosts do not read a person's name in a path.
func FilePath(path string) string {
	segments := strings.Split(path, "/")
	for i, s := range segments {
		segments[i] = strings.ReplaceAll(url.PathEscape(s), "@", "%40")
	}
	return strings.Join(segments, "/")
}

// LinesURL returns the address of the lines first to last of a file: address and what the format one makes of a line, or the format many
// of two lines. If first is 0, it returns the address.
func LinesURL(address string, first, last int, one, many string) string {
	switch {
	case first < 1:
		return address
	case last > first:
		return address + fmt.Sprintf(many, first, last)
	}
	return address + fmt.Sprintf(one, first)
}

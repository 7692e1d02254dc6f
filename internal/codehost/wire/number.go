package wire

import (
	"net/url"
	"path"
	"strconv"
)

// NumberOf returns the number at the end of an address's path, such as that of a pull request. It returns 0
// if the path ends otherwise.
func NumberOf(address string) int {
	u, err := url.Parse(address)
	if err != nil {
		return 0
	}
	n, err := strconv.Atoi(path.Base(u.Path))
	if err != nil || n < 0 {
		return 0
	}
	return n
}

package wire

import (
	"net/url"
	"path"
	"strconv"
)

// NumberOf returns the number with which the path of an address ends, such as that of a pull
// request, and 0 if it ends with none.
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

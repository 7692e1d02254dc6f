package wire

import (
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
)

// HostID returns a host's number as an id, or "" for a number that is not positive, because hosts do not
// give such ids.
func HostID(n int64) domain.HostID {
	if n <= 0 {
		return ""
	}
	return domain.NumberID(n)
}

// NumberOfID returns an id of a host as a positive number, and refuses other ids.
func NumberOfID(op string, id domain.HostID) (int64, error) {
	n, ok := id.Number()
	if !ok || n <= 0 {
		return 0, codehost.Refused(op, "an id of this host is a positive number")
	}
	return n, nil
}

package wire

import (
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
)

// HostID is a number of a host as an id; "" for a number that is not positive, which is the id of nothing.
func HostID(n int64) domain.HostID {
	if n <= 0 {
		return ""
	}
	return domain.NumberID(n)
}

// NumberOfID is the positive number behind an id of a host; other ids are refused.
func NumberOfID(op string, id domain.HostID) (int64, error) {
	n, ok := id.Number()
	if !ok || n <= 0 {
		return 0, codehost.Refused(op, "an id of this host is a positive number")
	}
	return n, nil
}

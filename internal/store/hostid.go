package store

import (
	"crypto/sha256"
	"database/sql"
	"database/sql/driver"
	"encoding/binary"
	"fmt"

	"github.com/assay-dev/assay/internal/domain"
)

// hostID scans a host's id from a number or text column. 0 and NULL become "".
func hostID(dst *domain.HostID) sql.Scanner { return (*scannedID)(dst) }

type scannedID domain.HostID

// Scan implements [sql.Scanner].
func (c *scannedID) Scan(src any) error {
	var v sql.NullString
	if err := v.Scan(src); err != nil {
		return err
	}
	if v.String == "0" {
		v.String = ""
	}
	*c = scannedID(v.String)
	return nil
}

// numberOf and textOf return an id for a pair of columns: a number goes to the number column, any other
// text to the text column. The unused column is NULL.
func numberOf(id domain.HostID) any {
	if n, ok := id.Number(); ok {
		return n
	}
	return nil
}

func textOf(id domain.HostID) any {
	if _, ok := id.Number(); ok || id == "" {
		return nil
	}
	return string(id)
}

// numericKey and idText return an id for a pair of columns whose number column is the key. numericKey returns
// the number, 0 for "", and for any other text a negative number from the first 62 bits of its SHA-256,
// because hosts use no negative ids. idText returns the text, or "" if the number already is the id.
func numericKey(id domain.HostID) int64 {
	if n, ok := id.Number(); ok && n > 0 || id == "" {
		return n
	}
	sum := sha256.Sum256([]byte(id))
	return -int64(binary.BigEndian.Uint64(sum[:8])>>2) - 1
}

func idText(id domain.HostID) string {
	if n, ok := id.Number(); ok && n > 0 {
		return ""
	}
	return string(id)
}

// requireNumber returns an id for a number column, 0 for "". Its Value returns an error with the column's name if
// the id is not a number.
func requireNumber(column string, id domain.HostID) driver.Valuer { return requiredNumber{column, id} }

type requiredNumber struct {
	column string
	id     domain.HostID
}

// Value implements [driver.Valuer].
func (c requiredNumber) Value() (driver.Value, error) {
	n, ok := c.id.Number()
	if !ok && c.id != "" {
		return nil, fmt.Errorf("%s takes ids that are numbers, and this one is text of %d bytes", c.column, len(c.id))
	}
	return n, nil
}

// requireNumbers converts each id of a list as [requireNumber] does.
func requireNumbers(column string, ids []domain.HostID) ([]int64, error) {
	out := make([]int64, len(ids))
	for i, id := range ids {
		v, err := requireNumber(column, id).Value()
		if err != nil {
			return nil, err
		}
		out[i] = v.(int64)
	}
	return out, nil
}

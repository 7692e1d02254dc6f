package store

import (
	"crypto/sha256"
	"database/sql"
	"database/sql/driver"
	"encoding/binary"
	"fmt"

	"github.com/assay-dev/assay/internal/domain"
)

// hostID reads the id of a host from a column of numbers or of text, in which 0
// and NULL are none.
func hostID(dst *domain.HostID) sql.Scanner { return (*countedID)(dst) }

type countedID domain.HostID

// Scan implements [sql.Scanner].
func (c *countedID) Scan(src any) error {
	var v sql.NullString
	if err := v.Scan(src); err != nil {
		return err
	}
	if v.String == "0" {
		v.String = ""
	}
	*c = countedID(v.String)
	return nil
}

// numberOf and textOf are an id for the two columns in which it may stand: that
// of numbers where it is one, else that of text. The other one is NULL.
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

// standIn and spelled are an id for the two columns in which it stands, where that
// of numbers tells ids apart: the number that it is, 0 for none, and for other text
// minus the first 62 bits of its SHA-256, which is no number of a host; and the text,
// "" where the number is the id.
func standIn(id domain.HostID) int64 {
	if n, ok := id.Number(); ok && n > 0 || id == "" {
		return n
	}
	sum := sha256.Sum256([]byte(id))
	return -int64(binary.BigEndian.Uint64(sum[:8])>>2) - 1
}

func spelled(id domain.HostID) string {
	if n, ok := id.Number(); ok && n > 0 {
		return ""
	}
	return string(id)
}

// counted is an id for a column of numbers, 0 for none. One that is no number
// is an error that names the column.
func counted(column string, id domain.HostID) driver.Valuer { return countedValue{column, id} }

type countedValue struct {
	column string
	id     domain.HostID
}

// Value implements [driver.Valuer].
func (c countedValue) Value() (driver.Value, error) {
	n, ok := c.id.Number()
	if !ok && c.id != "" {
		return nil, fmt.Errorf("%s takes ids that are numbers, and this one is text of %d bytes", c.column, len(c.id))
	}
	return n, nil
}

// allCounted is [counted] for each of a list.
func allCounted(column string, ids []domain.HostID) ([]int64, error) {
	out := make([]int64, len(ids))
	for i, id := range ids {
		v, err := counted(column, id).Value()
		if err != nil {
			return nil, err
		}
		out[i] = v.(int64)
	}
	return out, nil
}

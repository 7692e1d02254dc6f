package audit

import (
	"bytes"
	"encoding/json"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"
)

// The kinds of findings.
const (
	altered   = "altered"    // an entry differs from the entry that was written
	removed   = "removed"    // entries before others are missing
	truncated = "truncated"  // the newest entries are missing
	inserted  = "inserted"   // an entry was added later
	reordered = "reordered"  // entries are in another order
	otherLog  = "other_log"  // an entry, or the head, belongs to another log
	otherKey  = "other_key"  // the head is not signed with the instance's key
	rewritten = "rewritten"  // entries and their hashes were changed together
	treeWrong = "tree_wrong" // the entries are right, but the stored hashes are not
)

// LogFault is a defect of a log.
type LogFault struct {
	Kind    string `json:"kind" enum:"altered,removed,truncated,inserted,reordered,other_log,other_key,rewritten,tree_wrong"`
	Seq     *int64 `json:"seq,omitempty" doc:"Place of the entry, or of the first of several"`
	Count   int64  `json:"count,omitempty" doc:"How many entries, where there are several"`
	Message string `json:"message"`
}

// LogReport is the result of a verification.
type LogReport struct {
	Log        string     `json:"log" doc:"Id of the tenant, or instance"`
	OK         bool       `json:"ok"`
	Size       int64      `json:"size" doc:"Entries that the signed head vouches for"`
	Erased     int64      `json:"erased" doc:"Entries whose body was erased; their time, action and result are still vouched for"`
	Checkpoint string     `json:"checkpoint" doc:"The signed head. Keep it outside: with it a cut tail is found later. Empty while the log is empty"`
	Key        string     `json:"key" doc:"Verifier key of the signatures"`
	Compared   *int64     `json:"compared,omitempty" doc:"Size of the given checkpoint that the log was compared with"`
	Findings   []LogFault `json:"findings"`
	More       bool       `json:"more,omitempty" doc:"There were more findings than are listed"`
}

// maxFindings is the largest number of findings in a report (design choice).
const maxFindings = 100

// record is an entry under verification, from a row or from a line of a file.
type record struct {
	head
	salt []byte
	body string // "" without a salt: erased
	leaf tlog.Hash
	// copies compares the columns that repeat parts of the body with the body. It returns the name of one
	// that differs, or "".
	copies func(b entryBody) string
}

// checker verifies a log, record by record. Its memory does not grow with the log.
type checker struct {
	LogReport
	head    *checkpoint // nil if no head could be read
	outside *checkpoint
	tree    frontier
	there   numberSet
	last    int64 // the sequence number in the last record
}

func newChecker(log, key string) *checker {
	return &checker{LogReport: LogReport{Log: log, Key: key, Findings: []LogFault{}}, last: -1}
}

func (c *checker) find(kind string, seq int64, format string, args ...any) {
	if n := len(c.Findings); n > 0 && seq >= 0 {
		f := &c.Findings[n-1]
		if f.Kind == kind && f.Seq != nil && *f.Seq+max(f.Count, 1) == seq { // extends a run of equal findings
			f.Count = max(f.Count, 1) + 1
			return
		}
	}
	if len(c.Findings) == maxFindings {
		c.More = true
		return
	}
	f := LogFault{Kind: kind, Message: fmt.Sprintf(format, args...)}
	if seq >= 0 {
		f.Seq = &seq
	}
	c.Findings = append(c.Findings, f)
}

// signed reads the head of the log. rows is the size that is stored beside it.
func (c *checker) signed(note string, rows int64) {
	c.Checkpoint, c.Size = note, rows
	if note == "" && rows == 0 {
		return
	}
	head, err := openCheckpoint(note, c.Key)
	switch {
	case err != nil:
		c.find(otherKey, -1, "The head %s. Either a person with access to the log signed it again, or the key for the comparison is "+
			"another instance's.", errOtherKey)
	case head.Log != c.Log:
		c.find(otherLog, -1, "The head is that of another log.")
	case head.Size != rows:
		c.find(truncated, -1, "The signed head vouches for %d entries, and the log says that it has %d.", head.Size, rows)
		c.Size, c.head = head.Size, &head
	default:
		c.head = &head
	}
}

// compare reads a checkpoint that was kept outside the database.
func (c *checker) compare(note string) error {
	older, err := openCheckpoint(note, c.Key)
	switch {
	case err == errOtherKey:
		c.find(otherKey, -1, "The given checkpoint %s.", errOtherKey)
		return nil
	case err != nil:
		return err
	case older.Log != c.Log:
		c.find(otherLog, -1, "The given checkpoint is that of another log.")
		return nil
	}
	c.Compared, c.outside = &older.Size, &older
	return nil
}

// add verifies the next record and returns its leaf hash.
func (c *checker) add(r record) tlog.Hash {
	place, fine := r.Seq, true
	wrong := func(kind, format string, args ...any) {
		if fine {
			c.find(kind, r.Seq, format, args...)
			fine = false
		}
	}
	leaf, err := r.head.leaf()
	if err != nil || r.Seq < 0 {
		wrong(altered, "The entry cannot be read.")
	}
	switch {
	case r.Log != c.Log:
		wrong(otherLog, "The entry is that of another log.")
	case r.body == "" && len(r.salt) == 0:
		c.Erased++
	default:
		if b, ok := r.open(); !ok {
			wrong(altered, "The body is not the one that was written.")
		} else if b.Log != c.Log {
			wrong(otherLog, "The entry was written for another log.")
		} else if b.Seq != r.Seq {
			place, fine = b.Seq, false
		} else if b.At != r.At || b.Action != r.Action || b.Result != r.Result {
			wrong(altered, "Time, action or result are not those of the body.")
		} else if name := r.copies(b); name != "" {
			wrong(altered, "%s is not that of the body.", name)
		}
	}
	if fine && leaf != r.leaf {
		wrong(altered, "The entry is not the one that was written.")
	}
	c.place(place, r.Seq)
	c.tree.add(leaf, nil)
	if o := c.outside; o != nil && o.Size == c.tree.n && o.Root != c.tree.root() {
		c.find(rewritten, -1, "The first %d entries are not those that the given checkpoint vouches for.", o.Size)
	}
	return leaf
}

// open decodes the body, and returns false if its hash or its form is wrong.
func (r record) open() (b entryBody, ok bool) {
	if hexa(hashBody(r.salt, r.body)) != r.BodyHash {
		return b, false
	}
	d := json.NewDecoder(bytes.NewReader([]byte(r.body)))
	d.DisallowUnknownFields()
	return b, d.Decode(&b) == nil
}

// place compares the sequence number that an entry was written with and the place where it stands.
func (c *checker) place(written, stands int64) {
	switch {
	case written < 0:
		return
	case written >= c.Size:
		c.find(inserted, stands, "The signed head does not vouch for the entry.")
	case !c.there.add(written):
		c.find(inserted, stands, "There is more than one entry %d; one of them was put in later.", written)
	case written < c.last:
		c.find(reordered, stands, "Here stands entry %d, after entry %d.", written, c.last)
	}
	c.last = max(c.last, written)
}

// gaps reports sequence numbers without an entry.
func (c *checker) gaps() {
	c.there.gaps(c.Size, func(from, count int64) {
		kind, words := removed, "Entries are missing that the signed head vouches for."
		if from+count == c.Size {
			kind, words = truncated, "The newest entries are missing; the signed head vouches for them."
		}
		c.find(kind, from, "%s", words)
		if n := len(c.Findings) - 1; !c.More && count > 1 {
			c.Findings[n].Count = count
		}
	})
}

// done ends the verification and returns the report.
func (c *checker) done() LogReport {
	if o := c.outside; o != nil && o.Size > c.Size {
		c.find(truncated, c.Size, "The given checkpoint vouches for %d entries, and the log has %d.", o.Size, c.Size)
	}
	if c.head != nil && len(c.Findings) == 0 && (c.tree.n != c.head.Size || c.Size > 0 && c.tree.root() != c.head.Root) {
		c.find(rewritten, -1, "The entries fit their hashes, but not the signed head: entries and hashes were changed together.")
	}
	if c.there.full {
		c.More = true
	}
	c.OK = len(c.Findings) == 0 && !c.More
	return c.LogReport
}

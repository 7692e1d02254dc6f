package audit

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
)

// maxLine is the maximum length of a line of an export, in bytes (design choice; a body holds a resource at
// most twice).
const maxLine = 16 << 20

// ErrNoExport reports that a file is not an export of an audit log.
var ErrNoExport = errors.New("this is not an export of an audit log: its first line must be that of JSON Lines or CSV as " +
	"…/audit/export writes them")

// VerifyFile verifies an exported log, JSON Lines or CSV, without the service. verifier is the key of the
// instance, as `assay audit key` prints it. If it is "", the key in the file is used, which the author of
// the file could have replaced. older is a checkpoint that was kept elsewhere, or "". An error means that
// the file could not be read; it wraps [ErrNoExport] if the file is something else.
func VerifyFile(r io.Reader, verifier, older string) (LogReport, error) {
	in := bufio.NewReaderSize(r, 64<<10)
	first, err := in.Peek(1)
	if err != nil {
		return LogReport{}, ErrNoExport
	}
	f := &file{verifier: verifier, older: older}
	if first[0] == '{' {
		err = f.lines(in)
	} else {
		err = f.rows(in)
	}
	if err != nil {
		return LogReport{}, err
	}
	if f.c == nil {
		return LogReport{}, ErrNoExport
	}
	f.c.gaps()
	return f.c.done(), nil
}

// file is the verification of one export.
type file struct {
	verifier, older string
	c               *checker
}

func (f *file) head(h fileHead) error {
	key := f.verifier
	if key == "" {
		key = h.Key
	}
	if _, err := note.NewVerifier(key); err != nil {
		return errors.New("the verifier key cannot be read; `assay audit key` on the server prints it")
	}
	if h.Log == "" || h.Size < 0 {
		return ErrNoExport
	}
	f.c = newChecker(h.Log, key)
	f.c.signed(h.Checkpoint, h.Size)
	if f.older != "" {
		if err := f.c.compare(f.older); err != nil {
			return fmt.Errorf("the given checkpoint %w", err)
		}
	}
	return nil
}

func (f *file) lines(in *bufio.Reader) error {
	for n := 1; ; n++ {
		line, err := readLine(in)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		if n == 1 {
			var h fileHead
			if strict(line, &h) != nil || h.Format != fileFormat {
				return ErrNoExport
			}
			if err := f.head(h); err != nil {
				return err
			}
			continue
		}
		var l fileLine
		if err := strict(line, &l); err != nil {
			f.c.find(altered, -1, "Line %d is not as it was exported.", n)
			continue
		}
		f.c.add(l.record())
	}
}

func (l fileLine) record() record {
	salt, _ := unhex(l.Salt)
	return record{head: head{l.Action, l.At, l.BodyHash, l.Log, l.Result, l.Seq}, salt: salt, body: string(l.Body), leaf: hash(l.Leaf),
		copies: func(entryBody) string { return "" }}
}

func (f *file) rows(in *bufio.Reader) error {
	r := csv.NewReader(in)
	r.FieldsPerRecord, r.ReuseRecord = len(columns), true
	first, err := r.Read()
	if err != nil || !slices.Equal(first, columns[:]) {
		return ErrNoExport
	}
	h := fileHead{}
	for n := 2; ; n++ {
		row, err := r.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("row %d is not a row of the exported CSV", n)
		}
		seq, serr := strconv.ParseInt(row[colSeq], 10, 64)
		switch kind := row[colKind]; {
		case n == 2 && kind == "key":
			h.Log, h.Key = row[colLog], strings.Clone(row[colBody])
		case n == 3 && kind == "checkpoint" && serr == nil && row[colLog] == h.Log:
			h.Size, h.Checkpoint = seq, strings.Clone(row[colBody])
			if err := f.head(h); err != nil {
				return err
			}
		case n > 3 && kind == "entry" && serr == nil && strconv.FormatInt(seq, 10) == row[colSeq]:
			f.c.add(csvRecord(seq, row))
		case n < 4:
			return ErrNoExport
		default:
			f.c.find(altered, -1, "Row %d is not as it was exported.", n)
		}
	}
}

func csvRecord(seq int64, row []string) record {
	row = slices.Clone(row)
	salt, _ := unhex(row[colSalt])
	return record{head: head{row[colAction], row[colAt], row[colBodyHash], row[colLog], row[colResult], seq}, salt: salt,
		body: row[colBody], leaf: hash(row[colLeaf]),
		copies: func(b entryBody) string {
			want := slices.Clone(row)
			b.cells(want)
			for i := range want {
				if want[i] != row[i] {
					return "The column " + columns[i]
				}
			}
			return ""
		}}
}

// strict decodes a line that must equal the encoding of its value. Repeated properties, other letter case
// and white space are errors, so that every reader of the file gets the same values.
func strict(line []byte, v any) error {
	if err := json.Unmarshal(line, v); err != nil {
		return err
	}
	again, err := encode(v)
	if err == nil && !bytes.Equal(again, line) {
		err = errors.New("not as it was written")
	}
	return err
}

func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		if len(line)+len(part) > maxLine {
			return nil, errors.New("is too long for an export")
		}
		line = append(line, part...)
		switch {
		case err == nil:
			return line[:len(line)-1], nil
		case err == io.EOF && len(line) > 0:
			return line, nil
		case err != bufio.ErrBufferFull:
			return nil, err
		}
	}
}

func unhex(text string) ([]byte, bool) {
	b, err := hex.DecodeString(text)
	return b, err == nil && hexa(b) == text
}

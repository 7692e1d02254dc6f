package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
)

// report holds the outcome of a run.
type report struct {
	Seed  uint64    `json:"seed"`
	Rooms []outcome `json:"rooms"`
}

// outcome holds the results for a room's mutants.
type outcome struct {
	Room    string   `json:"room"`
	Seconds float64  `json:"seconds"` // of the room's own tests without a mutant
	Dropped int      `json:"dropped"` // mutants that do not compile
	Error   string   `json:"error,omitempty"`
	Mutants []mutant `json:"mutants"`
}

// count returns how many mutants were killed, and how many survived at places that no
// test reaches.
func (o outcome) count() (killed, unreached int) {
	for _, m := range o.Mutants {
		if m.Killed {
			killed++
		} else if !m.Reached {
			unreached++
		}
	}
	return killed, unreached
}

func (m mutant) fate() string {
	switch {
	case m.Killed:
		return "killed by " + m.KilledBy
	case m.Reached:
		return "survived"
	}
	return "not reached"
}

func readReport(file string) (r report, err error) {
	b, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(b, &r)
	}
	return r, err
}

// save writes the report to a file; "" means none.
func (r report) save(file string) error {
	if file == "" {
		return nil
	}
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(b, '\n'), 0o644)
}

func (r report) print(w io.Writer) {
	fmt.Fprint(w, "\n| room | mutants | killed | survived | of these not reached | do not compile | tests, s |\n")
	fmt.Fprint(w, "|---|---|---|---|---|---|---|\n")
	var all, allKilled, allUnreached int
	for _, o := range r.Rooms {
		if o.Error != "" {
			fmt.Fprintf(w, "| %s | not measured | | | | %d | |\n", o.Room, o.Dropped)
			continue
		}
		n := len(o.Mutants)
		killed, unreached := o.count()
		fmt.Fprintf(w, "| %s | %d | %d | %d | %d | %d | %.0f |\n", o.Room, n, killed, n-killed, unreached, o.Dropped, o.Seconds)
		all, allKilled, allUnreached = all+n, allKilled+killed, allUnreached+unreached
	}
	fmt.Fprintf(w, "| all | %d | %d | %d | %d | | |\n\nSurvivors:\n", all, allKilled, all-allKilled, allUnreached)
	for _, o := range r.Rooms {
		for _, m := range o.Mutants {
			if !m.Killed && o.Error == "" {
				fmt.Fprintf(w, "  %s (%s)\n", m, m.fate())
			}
		}
	}
}

// compare prints the mutants of the report whose fate differs from an earlier report's.
func (r report) compare(w io.Writer, before report) {
	old := map[string]mutant{}
	for _, o := range before.Rooms {
		for _, m := range o.Mutants {
			old[m.id()] = m
		}
	}
	fmt.Fprintf(w, "\nDifferences:\n")
	same := 0
	for _, o := range r.Rooms {
		for _, m := range o.Mutants {
			b, ok := old[m.id()]
			switch {
			case !ok:
				fmt.Fprintf(w, "  %s: not in the earlier report\n", m)
			case b.Killed != m.Killed || b.Reached != m.Reached:
				fmt.Fprintf(w, "  %s: was %s, now %s\n", m, b.fate(), m.fate())
			default:
				same++
			}
		}
	}
	fmt.Fprintf(w, "  %d mutants are as before\n", same)
}

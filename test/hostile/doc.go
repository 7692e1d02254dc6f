// Package hostile sends to the real binary what strangers could send to stop it:
// stalled connections, large bodies, many at once. It asserts that memory stays
// within a bound and that checks of health are answered meanwhile.
//
// Each family of attacks is a file with a table of its own, one row for each
// attack; a new family takes a [target] and adds a file. "make test" runs every
// row in a small size, "make hostile" in the full one (ASSAY_HOSTILE=full), and
// prints the tables of docs/performance.md.
package hostile

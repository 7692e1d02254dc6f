// Package hostile sends to the real binary what strangers could send to stop it:
// stalled connections, large bodies, many at once, and pull requests that cost more
// than they should ([bomb]). It asserts that memory stays within a bound, that
// checks of health are answered meanwhile, that every such pull request ends with a
// review that says what was not looked at, and that others get theirs.
//
// Each family of attacks is a file with a table of its own, one row for each
// attack; a new family takes a [target] and adds a file. "make test" runs every
// row in a small size, but of the pull requests a fifth of each family. "make
// hostile" runs all of them in the full size (ASSAY_HOSTILE=full), and prints the
// tables of docs/performance/hostile.md. Times are printed and never asserted, so that other
// work may go on beside it. Some bombs alone, by name:
//
//	go test ./test/hostile -run HostilePullRequests -v -args -bombs 'YAML|Go'
package hostile

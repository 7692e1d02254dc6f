// Package hostile sends the real binary what strangers could send to stop it: stalled connections,
// large bodies, many at the same time, and pull requests that cost more than they should ([bomb]). It
// asserts that memory stays bounded, that health checks are answered meanwhile, that every such pull
// request ends with a review that lists the parts that were not looked at, and that other pull
// requests get theirs.
//
// Each family of attacks is a file with a table, one row for each attack. A new family uses a [target]
// and adds a file. "make test" runs every row in a small size, except the pull requests, where it runs
// every eighth of each family. "make hostile" runs all of them in full size (ASSAY_HOSTILE=full), and
// prints the tables of docs/performance/hostile.md. Times are printed and never asserted, so that the
// machine may do other work. To run some bombs only, by name:
//
//	go test ./test/hostile -run HostilePullRequests -v -args -bombs 'YAML|Go'
package hostile

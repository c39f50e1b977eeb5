// Package store keeps what an experiment computes: finished cells, so that an
// interrupted run goes on where it stopped, and the results folder that a
// complete run leaves behind, with checksums and provenance.
//
// A results folder looks so:
//
//	manifest.toml *.csv *.png *.svg *.pdf   what was published
//	SHA256SUMS                              their checksums, as sha256sum(1) writes them
//	run.json timing.csv                     provenance and timings, which differ from run to run and are not summed
//	cells/                                  finished cells, the lock and temporary files; not part of the results
//
// Every file appears under its name whole or not at all: it is written to a
// temporary file in cells/, synced and renamed. For this, cells/ must lie on
// the file system of its folder.
package store

// A test-only executable: the holder linked without the terminal engine. That it links is the proof that it needs none.
#include "holder/holder.h"

int main(int argc, char** argv) { return holdfast::holder::holder_main(argc, argv); }

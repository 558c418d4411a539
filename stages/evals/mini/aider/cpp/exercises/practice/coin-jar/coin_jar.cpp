#include "coin_jar.h"

namespace coin_jar {

}  // namespace coin_jar
